// What was measured, and how far the numbers can be trusted.
function fact(name, text) {
  return element("div", {}, element("dt", {}, name), element("dd", {}, text));
}

function factsOf(run) {
  const head = run.head, name = runs.length > 1 ? ` ${run.letter}` : "";
  const out = [fact(`Run${name}`, run.file)];
  if (head?.machine)
    out.push(fact("Machine", head.machine));
  if (head?.keys)
    out.push(fact("Sockets", `${head.keys.sockets} with ${head.keys.cores} cores each`));
  if (head?.command)
    out.push(fact("Command", head.command.join(" ")));
  out.push(fact("Time", run.count ? `${time(run.times[run.count - 1])} in ${run.count} interval${run.count === 1 ? "" : "s"}` : "none"));
  return element("dl", { class: "facts" }, ...out);
}

function remark(kind, text) {
  const words = { problem: "Input", warning: "Warning", note: "Note", scaled: "Scaled", lost: "No value", good: "Good" };
  return element("li", { class: kind }, element("strong", {}, words[kind]), " ", text);
}

// The scaled reading with the greatest relative error: one of this series, or `worst` if that is greater.
function greatestError(s, worst) {
  const errors = s.column("error");
  s.values.forEach((value, i) => {
    const part = VALIDITIES[s.levels[i]] === "scaled" && value !== 0 ? errors[i] / Math.abs(value) : 0;
    if (part > (worst?.part ?? 0))
      worst = { s, i, part };
  });
  return worst;
}

// Is this the row that `stat` prints in place of the boxes' rows for an interval in which the event was not scheduled?
function standsForBoxes(s) {
  return s.socket === null && s.measure.series[s.run.number].some(other => other.socket !== null);
}

const GAPS = new Set(["absent", "not-modelled", "no line"]);

// Count the readings of each validity, and find the greatest error of the scaled ones.
function validityRemarks(run) {
  const prefix = runs.length > 1 ? `Run ${run.letter}: ` : "";
  const seen = new Map();
  let worst = null;

  for (const s of run.series) {
    const met = new Array(VALIDITIES.length).fill(false);
    s.levels.forEach(level => { met[level] = true; });
    const own = new Set(VALIDITIES.filter((_, level) => met[level]));
    if (standsForBoxes(s))
      continue;
    if (own.has("scaled"))
      worst = greatestError(s, worst);
    for (const v of own) {
      const key = own.size > 1 && GAPS.has(v) ? "at times" : v;
      if (!seen.has(key))
        seen.set(key, new Set());
      seen.get(key).add(s);
    }
  }
  return sayValidities(run, seen, worst, prefix);
}

function names(list) {
  const all = [...new Set(list.map(s => s.measure.name))];
  return all.slice(0, 3).join(", ") + (all.length > 3 ? ` and ${all.length - 3} more` : "");
}

function sayValidities(run, seen, worst, prefix) {
  const out = [], say = (validity, kind, text) => {
    const list = seen.get(validity);
    if (list)
      out.push(remark(kind, `${prefix}${list.size} of ${run.series.length} readings: ${text} (${names([...list])}).`));
  };
  say("scaled", "scaled", "took turns on counters (multiplexed), so scaled to the whole interval");
  if (worst)
    out.push(remark("scaled", `${prefix}The greatest error of these is \u00b1${Number((100 * worst.part).toPrecision(2))}%: ${worst.s.measure.name} of ` +
                              `${worst.s.place} in the interval until ${time(run.times[worst.i])}.`));
  say("partial", "warning", "of a part of what ran");
  say("wrapped", "warning", "at least what is shown, as the counters may have wrapped");
  say("saturated", "warning", "at least what is shown, as the counters could hold no more");
  say("not-modelled", "lost", "the machine does not drive the events");
  say("absent", "lost", "the box is absent, or something that they need is");
  say("at times", "lost", "no value in some intervals, in which their turn did not come or there was nothing to take a mean of");
  if (!out.length && run.series.length)
    out.push(remark("good", `${prefix}All ${run.series.length} readings are exact.`));
  return out;
}

function runRemarks(run) {
  const more = run.left_out > run.problems.length ? [remark("problem", `${run.file}: ${run.left_out} lines were left out in all.`)] : [];
  return [...run.problems.map(p => remark("problem", p)), ...more,
          ...run.notes.map(n => /^warning: /.test(n) ? remark("warning", n.slice(9)) : remark("note", n.replace(/^note: /, ""))),
          ...validityRemarks(run)];
}

function startSummary() {
  const machines = [...new Set(runs.map(r => r.head?.machine).filter(Boolean))];
  $("title").textContent = runs.length > 1 ? "Two runs compared" : "Readings of a run";
  $("subtitle").textContent = machines.join(" and ");
  document.title = `Boxscore: ${runs.map(r => r.file).join(" and ")}`;
  $("facts").append(...runs.map(factsOf));
  $("remarks").append(...runs.flatMap(runRemarks));
  if (runs.length > 1 && machines.length > 1)
    $("remarks").append(remark("warning", "The runs are of different machines."));
  $("made").textContent = `Made by boxscore ${data.version}. The page needs no network.`;
}
