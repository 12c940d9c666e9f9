/* The page's data, its view and its filters. What a log holds is only ever set as text. */
"use strict";
const wakeful = (() => {
  const data = JSON.parse(document.getElementById("wakeful-data").textContent);
  const WAKES = new Set(["start", "release", "steer"]);
  const id = (name) => document.getElementById(name);
  const places = new Map(data.sessions.map((each, place) => [each.id, place]));

  data.decisions.forEach((each, place) => {
    each.place = place;
    each.lane = places.has(each.session) ? places.get(each.session) : -1;
    each.isWake = WAKES.has(each.decision);
    each.why = data.explained[place] || [];
  });
  const decisionsOf = new Map();
  for (const each of data.decisions) {
    if (!decisionsOf.has(each.lane)) decisionsOf.set(each.lane, []);
    decisionsOf.get(each.lane).push(each);
  }

  /* Characters that show nothing, or turn other text around, are shown by their numbers. */
  const HIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const shown = (text) => String(text).replace(HIDDEN, (one) => "\\u" + one.charCodeAt(0).toString(16).padStart(4, "0"));
  function element(tag, text, classes) {
    const made = document.createElement(tag);
    if (text !== undefined && text !== null) made.textContent = shown(text);
    made.className = classes === undefined ? "text" : classes;
    return made;
  }

  /* Instants are milliseconds after data.start; the clocks are those of the zone. */
  function offset(t) {
    const at = data.start + t;
    let minutes = data.zone.offsets[0][1];
    for (const [since, ahead] of data.zone.offsets) if (since <= at) minutes = ahead;
    return minutes * 60000;
  }
  function clock(t) {
    const at = new Date(data.start + t + offset(t));
    return isNaN(at) ? String(data.start + t) : at.toISOString().replace("T", " ").replace("Z", "");
  }
  function length(ms) {
    if (ms < 10000) return (ms / 1000).toFixed(1) + "s";
    let seconds = Math.floor(ms / 1000);
    const parts = [];
    for (const [unit, size] of [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]]) {
      const number = Math.floor(seconds / size);
      seconds %= size;
      if (number) parts.push(number + unit);
    }
    return parts.slice(0, 2).join(" ");
  }
  const ruleName = (place) => {
    const rule = data.rules[place];
    return rule.id + (rule.trigger ? " · " + rule.trigger : "") + (rule.preset ? "/" + rule.preset : "");
  };
  const sessionName = (session) => session.title || session.id;

  /* The view: what part of the time, which rows, what was chosen. */
  const margin = Math.max(data.length * 0.01, 500);
  const view = { from: -margin, to: data.length + margin, open: new Set(), lanes: 40, rows: 200, chosen: null };
  const filters = { rule: "", session: "", decision: "", reason: "", quiet: false };
  const listeners = [];
  let waiting = false;
  function changed() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; for (const draw of listeners) draw(); });
  }

  function passesRule(rule) {
    const wanted = filters.rule;
    if (!wanted) return true;
    return wanted.startsWith("a:") ? data.rules[rule].automation === wanted.slice(2) : String(rule) === wanted.slice(2);
  }
  function passesSession(session) {
    const wanted = filters.session.trim().toLowerCase();
    return !wanted || (session.id + "\n" + (session.title || "")).toLowerCase().includes(wanted);
  }
  function passes(decision) {
    return passesRule(decision.rule)
      && (!filters.decision || (filters.decision === "wakes" ? decision.isWake : decision.decision === filters.decision))
      && (!filters.reason || (decision.reason || "-") === filters.reason)
      && (!filters.session.trim() || passesSession(decision.lane < 0 ? { id: decision.session || "" } : data.sessions[decision.lane]));
  }
  const visibleDecisions = () => data.decisions.filter(passes);

  function setRange(from, to) {
    const least = 50, most = data.length + 2 * margin;
    const size = Math.min(Math.max(to - from, least), most);
    const middle = (from + to) / 2;
    view.from = Math.min(Math.max(middle - size / 2, -margin), data.length + margin - size);
    view.to = view.from + size;
    changed();
  }
  const zoom = (factor) => {
    const middle = (view.from + view.to) / 2, half = (view.to - view.from) / 2 * factor;
    setRange(middle - half, middle + half);
  };
  const pan = (part) => { const by = (view.to - view.from) * part; setRange(view.from + by, view.to + by); };
  const whole = () => setRange(-margin, data.length + margin);

  /* A decision is chosen: the view moves there, its lane unfolds, its story is told. */
  function choose(decision) {
    view.chosen = decision;
    if (decision.lane >= 0) view.open.add(decision.lane);
    const size = Math.min(data.length + 2 * margin, Math.max((view.to - view.from) / 2, 20 * 60000), 60 * 60000);
    setRange(decision.t - size / 2, decision.t + size / 2);
  }
  function step(by) {
    const wakes = visibleDecisions().filter((each) => each.isWake);
    if (!wakes.length) return;
    const at = view.chosen ? wakes.findIndex((each) => by > 0 ? each.place > view.chosen.place : each.place >= view.chosen.place) : -1;
    let next = by > 0 ? (view.chosen ? at : 0) : (at < 0 ? wakes.length - 1 : at - 1);
    if (by > 0 && next < 0) next = 0;
    choose(wakes[(next + wakes.length) % wakes.length]);
  }

  function story(decision) {
    const lines = [];
    const what = decision.decision + (decision.reason ? " " + decision.reason : "");
    lines.push(what + ": " + ruleName(decision.rule));
    lines.push(clock(decision.t) + " " + data.zone.name);
    if (decision.session) lines.push("Session: " + (decision.lane < 0 ? decision.session : sessionName(data.sessions[decision.lane]) + " (" + decision.session + ")"));
    if (decision.event) lines.push("Event: " + decision.event + (decision.count ? ", count " + decision.count : ""));
    else if (decision.count) lines.push("Count: " + decision.count);
    if (decision.run) lines.push("Run: " + decision.run);
    if (decision.requestId !== undefined) lines.push("Request: " + decision.requestId);
    if (decision.scheduledFor) lines.push("Scheduled for: " + decision.scheduledFor + (decision.catchUp ? ", caught up" : ""));
    if (decision.late) lines.push("Late: it fell due before the host ran again.");
    return lines.concat(decision.why);
  }
  function tell(lines, event) {
    const tip = id("tip");
    tip.replaceChildren(...lines.map((line) => element("p", line)));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
    tip.style.top = Math.max(4, event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 12 : event.clientY + 18) + "px";
  }
  const hush = () => { id("tip").hidden = true; };

  function theme() {
    const style = getComputedStyle(document.documentElement);
    return (name) => style.getPropertyValue("--" + name).trim();
  }

  return { data, id, element, shown, clock, offset, length, ruleName, sessionName, view, filters, listeners, changed, passes, passesRule,
    passesSession, visibleDecisions, decisionsOf, setRange, zoom, pan, whole, choose, step, story, tell, hush, theme, margin };
})();

(() => {
  const { data, id, element, view, filters, changed, listeners } = wakeful;
  for (const name of ["wakes", "decisions", "matches", "sessions", "inputs"]) id("n-" + name).textContent = data.counts[name].toLocaleString("en");

  /* Dark or light: as the system has it until somebody says otherwise; paper is light. */
  const system = matchMedia("(prefers-color-scheme: dark)");
  let asked = null;
  function paint(printing) {
    const dark = !printing && (asked === null ? system.matches : asked === "dark");
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    id("theme").setAttribute("aria-pressed", String(dark));
    for (const draw of listeners) draw();
    overview();
  }
  id("theme").addEventListener("click", () => { asked = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; paint(false); });
  system.addEventListener("change", () => paint(false));
  addEventListener("beforeprint", () => paint(true));
  addEventListener("afterprint", () => paint(false));

  id("download").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([id("wakeful-data").textContent], { type: "application/json" }));
    link.download = "wakeful-report.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });

  function overview() {
    const colour = wakeful.theme();
    for (const name of ["hours", "reasons"]) {
      const figure = data.overview[name];
      const axis = { color: colour("ink"), gridcolor: colour("line"), zerolinecolor: colour("line"), fixedrange: true, automargin: true };
      const layout = { ...figure.layout, paper_bgcolor: colour("paper"), plot_bgcolor: colour("paper"), font: { color: colour("ink"), size: 12 },
        margin: { l: 45, r: 10, t: 10, b: 35 }, legend: { orientation: "h", y: -0.2 }, dragmode: false,
        xaxis: { ...figure.layout.xaxis, ...axis }, yaxis: { ...figure.layout.yaxis, ...axis } };
      const chart = id(name);
      Plotly.react(chart, figure.data, layout, { displayModeBar: false, responsive: true, showTips: false });
      if (chart.dataset.bound) continue;
      chart.dataset.bound = "yes";
      chart.on("plotly_hover", (event) => { const said = event.points[0].customdata; if (said) wakeful.tell([said], event.event); });
      chart.on("plotly_unhover", wakeful.hush);
      if (name === "hours") chart.on("plotly_click", (event) => {
        const middle = event.points[0].x - data.start;
        wakeful.setRange(middle - 1800000, middle + 1800000);
      });
    }
  }

  function option(select, value, text) {
    const made = element("option", text);
    made.value = value;
    select.append(made);
  }
  option(id("f-rule"), "", "all");
  const automations = new Map();
  data.rules.forEach((rule, place) => {
    if (!automations.has(rule.automation)) automations.set(rule.automation, []);
    automations.get(rule.automation).push(place);
  });
  for (const [automation, rules] of automations) {
    option(id("f-rule"), "a:" + automation, data.rules[rules[0]].id);
    if (rules.length > 1) for (const place of rules) if (data.rules[place].trigger) option(id("f-rule"), "r:" + place, "  " + wakeful.ruleName(place));
  }
  option(id("f-decision"), "", "all");
  option(id("f-decision"), "wakes", "wakes (start, release, steer)");
  for (const word of Object.keys(data.counts.byDecision)) option(id("f-decision"), word, word);
  option(id("f-reason"), "", "all");
  option(id("f-reason"), "-", "none");
  for (const reason of Object.keys(data.counts.byReason)) option(id("f-reason"), reason, reason);
  function read() {
    for (const name of ["rule", "session", "decision", "reason"]) filters[name] = id("f-" + name).value;
    filters.quiet = id("f-quiet").checked;
    view.lanes = 40;
    view.rows = 200;
    changed();
  }
  id("filters").addEventListener("input", read);
  id("filters").addEventListener("submit", (event) => event.preventDefault());
  id("filters").addEventListener("reset", () => setTimeout(read));

  const keys = { ArrowLeft: () => wakeful.pan(-0.25), ArrowRight: () => wakeful.pan(0.25), "+": () => wakeful.zoom(0.5), "=": () => wakeful.zoom(0.5),
    "-": () => wakeful.zoom(2), "0": wakeful.whole, Home: wakeful.whole, n: () => wakeful.step(1), p: () => wakeful.step(-1) };
  id("stage").addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); act(); }
  });
  const buttons = { earlier: keys.ArrowLeft, later: keys.ArrowRight, closer: keys["+"], farther: keys["-"], whole: keys["0"], previous: keys.p, next: keys.n };
  for (const [name, act] of Object.entries(buttons)) id(name).addEventListener("click", act);
  listeners.push(() => { id("range").textContent = wakeful.clock(view.from).slice(0, 19) + " – " + wakeful.clock(view.to).slice(0, 19); });
  addEventListener("DOMContentLoaded", () => paint(false));
})();
