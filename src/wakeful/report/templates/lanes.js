/* The sessions over time: a lane each, and beneath it what every rule had in it. */
"use strict";
(() => {
  const { data, id, element, view, filters, clock, length, ruleName, sessionName } = wakeful;
  const LANE = 46, RULE = 24, TOP = 26;
  const CODE = Object.fromEntries(data.kinds.map((kind, code) => [kind, code]));
  const OUTCOMES = { completed: ["turn", ""], failed: ["failed", "x"], cancelled: ["cancelled", "/"], replaced: ["cancelled", "\\"], ended: ["cancelled", "-"], open: ["turn", "."] };
  const MARKS = { toolCalled: ["call", "line-ns-open", 9, "a call finished"], toolFailed: ["failed", "x", 9, "a call failed"], messageQueued: ["queue", "triangle-down", 9, "a message was queued"],
    childFinished: ["hits", "circle-open", 8, "a child finished"], idle: ["soft", "line-ew-open", 7, "idle"] };
  const DECISIONS = { start: ["wake", "star", 17], release: ["wake", "star-diamond", 16], steer: ["wake", "star-triangle-up", 16], hold: ["call", "hourglass-open", 10],
    fold: ["call", "triangle-left-open", 9], drop: ["soft", "x-thin-open", 9], answer: ["hits", "square-open", 9], refuse: ["failed", "diamond-x-open", 10] };
  const HOW = { completed: "it held", broken: "it was broken", passed: "it passed", moved: "a newer one took it over", open: "it still waited" };
  let rows = [], items = [], bound = false;

  function sessionsShown() {
    const narrowed = filters.decision || filters.reason;
    const found = [];
    data.sessions.forEach((session, place) => {
      if (!wakeful.passesSession(session)) return;
      const decisions = (wakeful.decisionsOf.get(place) || []).filter(wakeful.passes);
      const rules = session.rules.some((state) => wakeful.passesRule(state.rule) && state.matches.length);
      const matters = decisions.length || (!narrowed && (filters.rule ? rules : session.matches));
      const isChosen = view.chosen && view.chosen.lane === place;
      if (matters || isChosen || filters.quiet) found.push(place);
    });
    return found;
  }
  function layRows() {
    const found = sessionsShown();
    let shown = found.slice(0, view.lanes);
    if (view.chosen && view.chosen.lane >= 0 && !shown.includes(view.chosen.lane)) shown = [view.chosen.lane, ...shown];
    rows = [];
    let y = TOP;
    if ((wakeful.decisionsOf.get(-1) || []).some(wakeful.passes)) { rows.push({ lane: -1, y, h: LANE }); y += LANE; }
    for (const lane of shown) {
      rows.push({ lane, y, h: LANE });
      y += LANE;
      if (!view.open.has(lane)) continue;
      for (const state of data.sessions[lane].rules) {
        if (!wakeful.passesRule(state.rule) || !(state.hits.length || state.waits.length || state.matches.length)) continue;
        rows.push({ lane, state, y, h: RULE });
        y += RULE;
      }
    }
    const quiet = data.sessions.filter((each) => !each.matches).length;
    id("lanes-told").textContent = `${shown.length} of ${data.sessions.length} sessions are shown` +
      (quiet && !filters.quiet ? `; ${quiet} without a match are folded away.` : ".");
    id("more-lanes").hidden = found.length <= shown.length;
    return y + 6;
  }
  function labels(height) {
    const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.lane : undefined;
    const made = rows.map((row) => {
      const name = row.lane < 0 ? "(of no session)" : row.state ? ruleName(row.state.rule) : sessionName(data.sessions[row.lane]);
      const label = element(row.state || row.lane < 0 ? "span" : "button", name);
      label.style.top = row.y + "px";
      label.style.height = label.style.lineHeight = row.h + "px";
      label.title = wakeful.shown(row.state || row.lane < 0 ? name : name + "\n" + data.sessions[row.lane].id);
      if (label.tagName === "BUTTON") {
        label.type = "button";
        label.dataset.lane = row.lane;
        label.setAttribute("aria-expanded", String(view.open.has(row.lane)));
        label.addEventListener("click", () => { view.open.has(row.lane) ? view.open.delete(row.lane) : view.open.add(row.lane); wakeful.changed(); });
      }
      return label;
    });
    id("labels").replaceChildren(...made);
    id("labels").style.height = height + "px";
    if (focused !== undefined) { const again = made.find((each) => each.dataset.lane === focused); if (again) again.focus(); }
  }

  const item = (lines, decision) => { items.push({ lines, decision }); return items.length - 1; };
  const inView = (from, to) => to >= view.from && from <= view.to;

  /* Marks that would stand on one another are drawn once, and tell how many they are. */
  function spread(marks, width, act) {
    const pixel = (view.to - view.from) / Math.max(width, 100) * 4;
    const kept = new Map();
    for (const mark of marks) {
      const [at, code, tool, n = 1, until = at] = mark;
      if (!inView(at, until)) continue;
      const key = code + ":" + Math.floor(at / pixel);
      const first = kept.get(key);
      if (first === undefined) kept.set(key, { at, until, code, tool, n });
      else { first.n += n; first.until = Math.max(first.until, until); if (first.tool !== tool) first.tool = 0; }
    }
    kept.forEach(act);
  }
  function spans(list, width, act) {
    const pixel = (view.to - view.from) / Math.max(width, 100);
    let end = -Infinity;
    for (const span of list) {
      if (!inView(span[0], span[1])) continue;
      if (span[1] - span[0] < pixel && span[1] < end + pixel) continue;
      end = Math.max(end, span[1]);
      act(span);
    }
  }

  function traces(width, colour) {
    const bars = {}, points = {}, lines = [];
    items = [];
    const bar = (key, style, from, to, y, h, lines_, decision) => {
      const trace = bars[key] || (bars[key] = { type: "bar", orientation: "h", name: key, base: [], x: [], y: [], width: [], customdata: [], hoverinfo: "none", marker: style });
      const start = Math.max(from, view.from - 1), end = Math.min(to, view.to + 1);
      trace.base.push(start); trace.x.push(Math.max(end - start, (view.to - view.from) / width)); trace.y.push(y); trace.width.push(h);
      trace.customdata.push(item(lines_, decision));
    };
    const point = (key, [tint, symbol, size], x, y, lines_, decision) => {
      const trace = points[key] || (points[key] = { type: "scatter", mode: "markers", name: key, x: [], y: [], customdata: [], hoverinfo: "none",
        marker: { symbol, size, color: colour(tint), line: { width: symbol.endsWith("open") ? 2 : 1, color: symbol.endsWith("open") ? colour(tint) : colour("paper") } } });
      trace.x.push(x); trace.y.push(y); trace.customdata.push(item(lines_, decision));
    };
    const stairs = (key, tint, x, y, fill) => lines.push({ type: "scatter", mode: "lines", name: key, x, y, line: { shape: "hv", width: 1.5, color: colour(tint) },
      hoverinfo: "skip", ...(fill ? { fill: "toself", fillcolor: colour(tint) + "33" } : {}) });

    for (const row of rows) {
      if (row.state) ruleRow(row, bar, point, stairs, colour);
      else {
        if (row.lane >= 0) sessionRow(row, width, bar, point, stairs, colour);
        for (const decision of wakeful.decisionsOf.get(row.lane) || []) {
          if (!inView(decision.t, decision.t) || !wakeful.passes(decision)) continue;
          point("decision " + decision.decision, DECISIONS[decision.decision], decision.t, row.y + (decision.isWake ? 12 : 37), () => wakeful.story(decision), decision);
        }
      }
    }
    const wakes = Object.keys(points).filter((key) => /start|release|steer/.test(key));
    const rest = Object.keys(points).filter((key) => !wakes.includes(key));
    return [...Object.values(bars), ...lines, ...rest.map((key) => points[key]), ...wakes.map((key) => points[key])];
  }
  function sessionRow(row, width, bar, point, stairs, colour) {
    const session = data.sessions[row.lane];
    const y = row.y + 24;
    spans(session.turns, width, ([from, to, outcome, n = 1]) => {
      const [tint, shape] = OUTCOMES[outcome];
      bar("turn " + outcome, { color: colour(tint), pattern: { shape, fillmode: "overlay", fgcolor: colour("paper"), fgopacity: 0.8, size: 6 }, line: { width: 0 } }, from, to, y, 12, () => [
        n === 1 ? "Turn, " + outcome : n + " turns, " + outcome, sessionName(session), clock(from) + " to " + clock(to), "Lasted " + length(to - from)]);
    });
    spans(session.silences, width, ([from, to]) => bar("silence", { color: colour("paper"), opacity: 0.75, pattern: { shape: "/", fgcolor: colour("silence"), size: 5 }, line: { width: 1, color: colour("silence") } },
      from, to, y, 8, () => ["Silent for " + length(to - from), sessionName(session), clock(from) + " to " + clock(to)]));
    spread(session.marks, width, ({ at, until, code, tool, n }) => {
      const kind = data.kinds[code], style = MARKS[kind];
      if (!style) return;
      point(kind, style, at, kind === "messageQueued" ? row.y + 38 : y, () => [(n > 1 ? n + " × " : "") + kind + (tool ? " " + data.tools[tool] : ""), sessionName(session),
        n > 1 ? clock(at) + " to " + clock(until) : clock(at)]);
    });
    if (session.queue.length) {
      const most = Math.max(...session.queue.map((step) => step[1]));
      const x = [], ys = [];
      session.queue.forEach(([at, n], place) => {
        const next = place + 1 < session.queue.length ? session.queue[place + 1][0] : data.length;
        if (!inView(at, next)) return;
        x.push(at, next, null);
        const level = row.y + 44 - 11 * n / Math.max(most, 1);
        ys.push(level, level, null);
        if (n) point("queue", ["queue", "circle", 4], Math.max(at, view.from), level, () => [n + (n === 1 ? " message waits" : " messages wait"), sessionName(session), clock(at) + " to " + clock(next)]);
      });
      if (x.length) stairs("queue level", "queue", x, ys, false);
    }
  }
  function ruleRow(row, bar, point, stairs, colour) {
    const state = row.state, bottom = row.y + RULE - 3, full = RULE - 8;
    const name = ruleName(state.rule);
    for (const [from, to, due, how] of state.waits) {
      if (!inView(from, Math.max(to, due))) continue;
      bar("wait", { color: colour("wait") + "66", line: { width: 1, color: colour("wait") } }, from, to, row.y + RULE / 2, 12,
        () => ["Waited: " + name, clock(from) + " to " + clock(to), "Deadline " + clock(due), HOW[how]]);
      point("deadline", ["wait", "line-ns-open", 12], due, row.y + RULE / 2, () => ["Deadline: " + name, clock(due), HOW[how]]);
    }
    let x = [], y = [];
    const level = (n) => bottom - full * Math.min(n, state.of) / state.of;
    state.hits.forEach(([at, n], place) => {
      const next = place + 1 < state.hits.length ? state.hits[place + 1][0] : data.length;
      if (!inView(at, next)) return;
      if (n) { x.push(at, next, next, at, null); y.push(level(n), level(n), bottom, bottom, null); }
      if (n && inView(at, at)) point("hits", ["hits", "circle", 5], at, level(n), () => [`${n} of ${state.of} hits: ${name}`, clock(at)]);
    });
    if (x.length) stairs("hits level", "hits", x, y, true);
    for (const at of state.matches) if (inView(at, at)) point("match", ["match", "diamond-tall", 11], at, row.y + RULE / 2, () => {
      const decision = (wakeful.decisionsOf.get(row.lane) || []).find((each) => each.t === at && each.rule === state.rule);
      return ["Match: " + name, clock(at)].concat(decision ? decision.why : []);
    });
  }

  const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5, 1728e5, 6048e5, 2592e6, 7776e6, 31536e6, 157680e6, 315360e6];
  function ticks(width) {
    const size = view.to - view.from;
    const step = STEPS.find((each) => size / each <= Math.max(3, width / 110)) || size / 5;
    const tickvals = [], ticktext = [];
    const first = data.start + view.from + wakeful.offset(view.from);
    let day = "";
    for (let local = Math.ceil(first / step) * step; tickvals.length < 40; local += step) {
      let t = local - data.start;
      t -= wakeful.offset(t - wakeful.offset(t));
      if (t > view.to) break;
      const told = clock(t);
      const text = step >= 864e5 ? told.slice(0, 10) : step >= 6e4 ? told.slice(11, 16) : step >= 1e3 ? told.slice(11, 19) : told.slice(11);
      tickvals.push(t);
      ticktext.push(told.slice(0, 10) === day || step >= 864e5 ? text : text + "<br>" + told.slice(0, 10));
      day = told.slice(0, 10);
    }
    return { tickvals, ticktext };
  }

  function draw() {
    const height = layRows() + 40;
    labels(height);
    const chart = id("lanes"), colour = wakeful.theme();
    const width = Math.max(200, chart.clientWidth - 20);
    const shapes = rows.filter((row) => !row.state).map((row, place) => ({ type: "rect", xref: "paper", x0: 0, x1: 1, y0: row.y, y1: row.y + row.h,
      fillcolor: place % 2 ? colour("paper") : colour("band"), line: { width: 0 }, layer: "below" }));
    if (view.chosen) shapes.push({ type: "line", yref: "paper", y0: 0, y1: 1, x0: view.chosen.t, x1: view.chosen.t, line: { color: colour("wake"), width: 1.5, dash: "dot" } });
    const layout = { height, margin: { l: 0, r: 20, t: 0, b: 40 }, paper_bgcolor: colour("paper"), plot_bgcolor: colour("paper"), font: { color: colour("ink"), size: 12 },
      showlegend: false, hovermode: "closest", barmode: "overlay", dragmode: "zoom", shapes,
      xaxis: { range: [view.from, view.to], gridcolor: colour("line"), zeroline: false, tickmode: "array", ...ticks(width) },
      yaxis: { range: [height - 40, 0], visible: false, fixedrange: true } };
    Plotly.react(chart, traces(width, colour), layout, { displayModeBar: false, responsive: true, doubleClick: false, showTips: false });
    if (bound) return;
    bound = true;
    chart.on("plotly_hover", (event) => wakeful.tell(items[event.points[0].customdata].lines(), event.event));
    chart.on("plotly_unhover", wakeful.hush);
    chart.on("plotly_click", (event) => { const decision = items[event.points[0].customdata].decision; if (decision) wakeful.choose(decision); });
    chart.on("plotly_doubleclick", wakeful.whole);
    chart.on("plotly_relayout", (change) => {
      const range = change["xaxis.range"] || [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      if (range[0] !== undefined) wakeful.setRange(Number(range[0]), Number(range[1]));
      else if (!change.autosize) return;
      else wakeful.changed();
    });
  }

  const few = sessionsShown();
  if (few.length <= 6) for (const lane of few) view.open.add(lane);
  id("unfold").addEventListener("click", () => { for (const row of rows) if (row.lane >= 0) view.open.add(row.lane); wakeful.changed(); });
  id("fold").addEventListener("click", () => { view.open.clear(); wakeful.changed(); });
  id("more-lanes").addEventListener("click", () => { view.lanes += 40; wakeful.changed(); });
  for (const [name, text] of [["bar", "a turn; hatched where it failed, was cancelled or replaced, dotted where it still ran"], ["hatched, pale", "a silence within a turn, of two minutes or longer"],
    ["│", "a call that finished"], ["✖", "a call that failed"], ["▼", "a message was queued; the line tells how many wait"], ["★", "a wake: a run started, was released, or a turn steered"],
    ["⧗", "a wake that waits"], ["◁", "a wake that folded into the waiting one"], ["×", "a wake that was dropped"], ["stairs", "how many hits a rule has"],
    ["amber bar", "a rule's wait, with its deadline as an upright line"], ["◆", "a match"]]) {
    const entry = element("li", text);
    entry.prepend(element("b", name + " "));
    id("legend").append(entry);
  }
  wakeful.listeners.push(draw);
  wakeful.rows = () => rows;
})();
