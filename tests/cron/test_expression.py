"""The dialect of semantics 10.1, 10.2 and 10.4, and what expressions look like in words."""

import pytest
from hypothesis import given, settings

from models.cron_strategies import expressions
from models.plain_cron import BOUNDS, values_of
from wakeful.cron import CronExpression
from wakeful.errors import InvalidError


def refused(text):
    with pytest.raises(InvalidError) as caught:
        CronExpression.parse(text)
    return caught.value.problems


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("minute", "@daily"),
        ("minute", ""),
        ("minute", None),
        ("hour", "*"),
        ("day of week", "0 9 * *"),
        ("field 6", "0 0 9 * * *"),
        ("day of month", "0 0 ? * *"),
        ("day of week", "0 0 * * ?"),
        ("day of month", "0 0 L * *"),
        ("day of week", "0 0 * * 5L"),
        ("day of month", "0 0 15W * *"),
        ("day of week", "0 0 * * 5#3"),
        ("minute", "60 * * * *"),
        ("hour", "0 24 * * *"),
        ("day of month", "0 0 0 * *"),
        ("day of month", "0 0 32 * *"),
        ("month", "0 0 1 0 *"),
        ("month", "0 0 1 13 *"),
        ("day of week", "0 0 * * 8"),
        ("minute", "*/0 * * * *"),
        ("minute", "*/00 * * * *"),
        ("minute", "*/ * * * *"),
        ("minute", "*/-2 * * * *"),
        ("minute", "*/x * * * *"),
        ("minute", "5/15 * * * *"),
        ("month", "0 0 1 jan/2 *"),
        ("minute", "1-9/2/2 * * * *"),
        ("minute", "1-9/ * * * *"),
        ("minute", "1,,2 * * * *"),
        ("minute", ",1 * * * *"),
        ("minute", "1, * * * *"),
        ("minute", "*,5 * * * *"),
        ("minute", "*/2,5 * * * *"),
        ("minute", "5,*/2 * * * *"),
        ("minute", "*-5 * * * *"),
        ("minute", "** * * * *"),
        ("minute", "+5 * * * *"),
        ("minute", "-5 * * * *"),
        ("minute", "5- * * * *"),
        ("minute", "1-2-3 * * * *"),
        ("minute", "1_0 * * * *"),
        ("minute", "1.0 * * * *"),
        ("minute", "٣ * * * *"),
        ("minute", "²5 * * * *"),
        ("minute", "\uff19 * * * *"),
        ("minute", "*/٣ * * * *"),
        ("minute", "9" * 5000 + " * * * *"),
        ("minute", "9-5 * * * *"),
        ("day of week", "0 0 * * FRI-MON"),
        ("day of week", "0 0 * * sat-sun"),
        ("day of week", "0 0 * * 6-sun"),
        ("day of week", "0 0 * * \u017fun"),
        ("day of week", "0 0 * * fr\u0131"),
        ("day of week", "0 0 * * monday"),
        ("day of week", "0 0 * * jan"),
        ("month", "0 0 1 mon *"),
        ("hour", "0 mon * * *"),
        ("day of month", "0 0 30 2 *"),
        ("day of month", "0 0 31 feb,4,jun,9,11 *"),
    ],
)
def test_a_refusal_names_its_field(path, text):
    assert [path] == [problem.path for problem in refused(text)]


def test_every_bad_field_is_told():
    problems = refused("60 24 32 13 8")
    assert [problem.path for problem in problems] == [
        "minute",
        "hour",
        "day of month",
        "month",
        "day of week",
    ]
    assert [problem.value for problem in problems] == ["60", "24", "32", "13", "8"]


def test_a_refusal_says_what_is_allowed():
    (problem,) = refused("0 0 * * FRI-MON")
    assert "0-7 or sun-sat" in problem.expected
    assert "'FRI-MON'" in problem.sentence
    assert "must ascend" in problem.sentence


def test_a_long_text_is_shortened_in_its_refusal():
    (problem,) = refused("1," * 100_000 + " * * * *")
    assert len(str(problem)) < 500


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("0 9 * * 1-5", "0 9 * * mon-fri"),
        ("0 9 * * 1-5", "0\t09\n*  *\v1,2,3,4,5 "),
        ("0 9 * * 1-5", "0 9 * * MON-Fri"),
        ("0 0 * * 0", "0 0 * * 7"),
        ("0 0 * * 5-7", "0 0 * * 5,6,sun"),
        ("0 0 * * 0-7", "0 0 * * *"),
        ("0 0 * * fri-7", "0 0 * * 5-7"),
        ("*/15 * * * *", "0,15,30,45 * * * *"),
        ("*/99 * * * *", "0 * * * *"),
        ("*/999999999999999999999 * * * *", "0 * * * *"),
        ("10-20/60 * * * *", "10 * * * *"),
        ("0 0 */40 * *", "0 0 1 * *"),
        ("0 0 1 */5 *", "0 0 1 1,6,11 *"),
        ("5,5,1-5 * * * *", "1-5 * * * *"),
        ("000000005 * * * *", "5 * * * *"),
        ("0 0 1-31 * *", "0 0 * * *"),
        ("0 0 1-31 * 1", "0 0 * * *"),
        ("0 0 13 * */1", "0 0 * * *"),
        ("0 0 1-30 4 *", "0 0 * 4 *"),
        ("0 0 31 2,3 *", "0 0 31 3 *"),
        ("0 0 30,31 4,2 *", "0 0 30 4 *"),
        ("0 0 31 4,5 *", "0 0 31 5 *"),
        ("0 0 30,31 2,4,5 *", "0 0 30-31 4-5 *"),
        ("0 0 31 2 1", "0 0 * 2 1"),
    ],
)
def test_equality_and_hash_are_by_meaning(text, same):
    assert CronExpression.parse(text) == CronExpression.parse(same)
    assert hash(CronExpression.parse(text)) == hash(CronExpression.parse(same))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("0 0 13 * 5", "0 0 13 * *"),
        ("0 0 */2 * 1", "0 0 * * 1"),
        ("0 0 1-30 * *", "0 0 * * *"),
        ("0 0 29 2 *", "0 0 28 2 *"),
        ("0 0 1-29 2 *", "0 0 1-28 2 *"),
        ("1 0 * * *", "0 1 * * *"),
    ],
)
def test_what_means_another_thing_is_not_equal(text, other):
    assert CronExpression.parse(text) != CronExpression.parse(other)


@pytest.mark.parametrize("text", ["0 9 * * mon-fri", "0\t9  * * 1", " */5 * * * * "])
def test_str_gives_the_text_back(text):
    assert text == str(CronExpression.parse(text))


def test_the_29th_of_february_is_accepted():
    assert str(CronExpression.parse("0 0 29 2 *")) == "0 0 29 2 *"


@settings(max_examples=150, deadline=None)
@given(text=expressions())
def test_the_grammar_is_read_as_the_plain_model_reads_it(text):
    minutes, hours, days, months, weekdays = (
        values_of(field, *bounds) for field, bounds in zip(text.split(), BOUNDS, strict=True)
    )
    lengths = {month: 30 if month in {4, 6, 9, 11} else 31 for month in range(1, 13)} | {2: 29}
    if text.endswith(" *") and not any(day <= lengths[month] for day in days for month in months):
        assert [problem.path for problem in refused(text)] == ["day of month"]
        return
    read = CronExpression.parse(text)
    assert minutes == {bit for bit in range(60) if read.minutes >> bit & 1}
    assert hours == {bit for bit in range(24) if read.hours >> bit & 1}
    # The plain day model, over a cycle's worth of month shapes, against `allows`.
    day_given, weekday_given = text.split()[2] != "*", text.split()[4] != "*"
    time = min(hours) * 60 + min(minutes)
    from wakeful.cron.gregorian import date_of

    for day in range(19_000, 19_000 + 1_500):
        _, month, day_of_month = date_of(day)
        by_day = day_of_month in days
        by_weekday = (day + 4) % 7 in {value % 7 for value in weekdays}
        either = day_given and weekday_given
        expected = month in months and (
            (by_day or by_weekday) if either else (by_day and by_weekday)
        )
        assert expected == read.allows(day * 1440 + time)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("at 09:30 on Monday to Friday", "30 9 * * 1-5"),
        ("at 09:30 every day", "30 9 * * *"),
        ("every minute", "* * * * *"),
        ("every 15 minutes", "*/15 * * * *"),
        ("every 15 minutes from 09:00 to 17:45 on Monday to Friday", "*/15 9-17 * * 1-5"),
        ("every minute from 09:00 to 09:59", "* 9 * * *"),
        ("every 20 minutes of hours 1 to 3, 9 and 20", "*/20 1-3,9,20 * * *"),
        ("every hour", "0 * * * *"),
        ("every 3 hours from 00:00", "0 */3 * * *"),
        ("at minute 7 of every 2nd hour", "7 */2 * * *"),
        ("at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour", "*/7 * * * *"),
        ("at minute 5 of hours 9 to 17", "5 9-17 * * *"),
        ("at 02:01, 02:07, 02:09, 05:01, 05:07 and 05:09 every day", "1,7,9 2,5 * * *"),
        ("at minutes 1, 7 and 9 of hours 2, 5 and 9", "1,7,9 2,5,9 * * *"),
        ("at 06:00 and 18:00 on Saturday and Sunday", "0 6,18 * * sat,sun"),
        ("at 00:00 on the 1st, 15th and 22nd of the month", "0 0 1,15,22 * *"),
        ("at 00:00 on the 13th of the month and on every Friday", "0 0 13 * 5"),
        ("at 00:00 on the 29th of the month in February", "0 0 29 2 *"),
        ("at 12:00 every day in January and June to August", "0 12 * 1,6-8 *"),
        ("every 5 minutes in May", "*/5 * * may *"),
    ],
)
def test_an_expression_in_words(words, text):
    assert words == CronExpression.parse(text).describe()


def test_the_words_end_with_the_zone():
    assert (
        CronExpression.parse("30 9 * * 1-5").describe("Europe/Berlin")
        == "at 09:30 on Monday to Friday, Europe/Berlin"
    )
