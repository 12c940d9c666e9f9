/* The table of decisions, which jumps to the instant, and the story of the one that was chosen. */
"use strict";
(() => {
  const { data, id, element, view, clock } = wakeful;

  function row(decision) {
    const made = element("tr", null, decision.isWake ? "wake" : "");
    made.dataset.place = decision.place;
    const jump = element("button", clock(decision.t));
    jump.type = "button";
    jump.title = "Show it in the picture";
    jump.addEventListener("click", () => {
      wakeful.choose(decision);
      requestAnimationFrame(() => requestAnimationFrame(() => id("detail").scrollIntoView({ block: "nearest" })));
    });
    const when = element("td", null, "");
    when.append(jump);
    made.append(when);
    const session = decision.lane < 0 ? decision.session || "" : wakeful.sessionName(data.sessions[decision.lane]);
    for (const [text, long] of [[decision.decision], [decision.reason || ""], [wakeful.ruleName(decision.rule), 1], [session, 1], [decision.event || ""], [decision.count === undefined ? "" : decision.count]]) {
      made.append(element("td", text, long ? "long text" : "text"));
    }
    if (view.chosen === decision) { made.classList.add("chosen"); made.setAttribute("aria-current", "true"); }
    return made;
  }
  function table() {
    const focused = document.activeElement && document.activeElement.closest ? document.activeElement.closest("#rows tr") : null;
    const place = focused ? focused.dataset.place : null;
    const decisions = wakeful.visibleDecisions();
    const shown = decisions.slice(0, view.rows);
    if (view.chosen && !shown.includes(view.chosen)) shown.unshift(view.chosen);
    id("rows").replaceChildren(...shown.map(row));
    const listed = data.decisions.length === data.counts.decisions ? "" : ` (${data.counts.decisions.toLocaleString("en")} there were)`;
    id("table-told").textContent = `${decisions.length.toLocaleString("en")} of ${data.decisions.length.toLocaleString("en")} decisions${listed}. Their instants are links into the picture.`;
    id("more-rows").hidden = decisions.length <= view.rows;
    if (place !== null) { const again = id("rows").querySelector(`tr[data-place="${place}"] button`); if (again) again.focus({ preventScroll: true }); }
  }
  function detail() {
    const box = id("detail"), chosen = view.chosen;
    box.hidden = !chosen;
    if (!chosen) return;
    const [head, ...lines] = wakeful.story(chosen);
    box.replaceChildren(element("h3", head), ...lines.map((line) => element("p", line)));
    if (chosen.message) { box.append(element("p", "It is told:"), element("p", chosen.message)); }
  }
  function waiting() {
    const rows = data.summary.waiting;
    id("waiting").hidden = !rows.length;
    id("waiting-rows").replaceChildren(...rows.slice(0, 200).map((each) => {
      const made = element("tr", null, "");
      const due = each.deadline === undefined ? "" : clock(Date.parse(each.deadline) - data.start);
      const rule = each.automation + (each.trigger ? " · " + each.trigger : "") + (each.preset ? "/" + each.preset : "");
      for (const text of [due, each.what + (each.awaited ? " " + each.awaited : ""), rule, each.session || ""]) made.append(element("td", text, "long text"));
      return made;
    }));
  }
  id("more-rows").addEventListener("click", () => { view.rows += 200; wakeful.changed(); });
  wakeful.listeners.push(table, detail);
  waiting();
})();
