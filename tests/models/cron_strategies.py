"""Random expressions of the dialect."""

from hypothesis import strategies as st

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]


@st.composite
def fields(draw, low, high, names=(), *, base=0, shared=False, day=False):
    """One field; ``shared`` leaves out what croniter reads differently (a range of one value is
    the whole field to it), ``day`` what each dialect has its own rule for.
    """

    def value():
        number = draw(st.integers(low, high))
        if names and number - base < len(names) and draw(st.booleans()):
            return number, draw(
                st.sampled_from([names[number - base], names[number - base].upper()])
            )
        return number, draw(
            st.sampled_from([f"{number}", f"0{number}"] if not day else [f"{number}"])
        )

    def item():
        first, text = value()
        if draw(st.booleans()):
            return text
        last, last_text = value()
        if shared and first == last:
            return text
        if last < first:
            (first, text), (last, last_text) = (last, last_text), (first, text)
        step = draw(st.sampled_from(["", "", "/1", "/2", "/3", "/7", "/99"] if not day else [""]))
        return f"{text}-{last_text}{step}"

    kind = draw(st.integers(0, 5))
    if kind < 2:
        return "*"
    if kind == 2 and not day:
        return f"*/{draw(st.integers(1, high + 5))}"
    return ",".join(item() for _ in range(draw(st.integers(1, 3))))


@st.composite
def expressions(draw, *, shared=False):
    """An expression; ``shared`` keeps to what croniter and cronsim read alike."""
    return " ".join(
        [
            draw(fields(0, 59, shared=shared)),
            draw(fields(0, 23, shared=shared)),
            draw(fields(1, 31, shared=shared, day=shared)),
            draw(fields(1, 12, MONTHS, base=1, shared=shared)),
            draw(fields(0, 6 if shared else 7, WEEKDAYS, shared=shared, day=shared)),
        ]
    )
