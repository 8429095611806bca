// The controls, the theme, and the start.
function label(m) {
  return m.unit ? `${m.name} (${m.unit})` : m.name;
}

function fillMeasures() {
  const groups = [["Metrics", measures.filter(m => m.metric)], ["Events", measures.filter(m => !m.metric)]];
  for (const [name, list] of groups)
    if (list.length)
      $("measure").append(element("optgroup", { label: name }, ...list.map(m => element("option", { value: measures.indexOf(m) }, label(m)))));
}

// Choose what the map shows first: the first reading that differs from box to box.
function firstMeasure() {
  return measures.find(m => m.series[0].filter(s => s.index !== null).length > 1 && m.domain.most > m.domain.least) ?? measures[0];
}

function drawControls() {
  const run = runs[0], i = state.interval;
  $("slider").value = i;
  $("measure").value = measures.indexOf(state.measure);
  $("when").textContent = run.count ? `interval ${i + 1} of ${run.count}: ${time(i ? run.times[i - 1] : 0)} to ${time(run.times[i])}` : "";
  $("slider").setAttribute("aria-valuetext", $("when").textContent);
}

let playing = null;

function play(on) {
  clearInterval(playing);
  playing = on ? setInterval(() => {
    if (state.interval + 1 < runs[0].count)
      change({ interval: state.interval + 1 });
    else
      play(false);
  }, 150) : null;
  $("play").textContent = on ? "Pause" : "Play";
}

function startControls() {
  const go = by => change({ interval: Math.max(0, Math.min(runs[0].count - 1, state.interval + by)) });
  fillMeasures();
  runs.forEach(run => $("run").append(element("option", { value: run.number }, `${run.letter}: ${run.file}`)));
  $("which-run").hidden = runs.length < 2;
  $("slider").max = Math.max(0, runs[0].count - 1);
  $("time-controls").hidden = runs[0].count < 2;
  $("measure").addEventListener("change", e => change({ measure: measures[e.target.value] }));
  $("run").addEventListener("change", e => change({ run: Number(e.target.value) }));
  $("slider").addEventListener("input", e => change({ interval: Number(e.target.value) }));
  $("previous").addEventListener("click", () => go(-1));
  $("next").addEventListener("click", () => go(1));
  $("play").addEventListener("click", () => {
    if (!playing && state.interval + 1 >= runs[0].count)
      change({ interval: 0 });
    play(!playing);
  });
  listen(["interval", "measure"], drawControls);
}

function startTheme() {
  const order = ["system", "light", "dark"];
  let now = 0;
  $("theme").addEventListener("click", () => {
    now = (now + 1) % order.length;
    if (now)
      document.documentElement.dataset.theme = order[now];
    else
      delete document.documentElement.dataset.theme;
    $("theme").textContent = `Theme: ${order[now]}`;
    change({ theme: order[now] });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => change({ theme: "system" }));
}

function start() {
  startSummary();
  startTheme();
  if (!measures.length) {
    document.querySelectorAll("main > section:not(#summary), #controls").forEach(part => { part.hidden = true; });
    $("remarks").append(remark("problem", "There is no reading to show."));
    return;
  }
  startControls();
  startMap();
  startHeat();
  startLines();
  startMemory();
  startTable();
  change({ measure: firstMeasure(), run: 0, interval: 0, box: null });
}

start();
