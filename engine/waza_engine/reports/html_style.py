"""The look of the HTML reports, light and dark."""

STYLE = """
:root { color-scheme: light dark; --pass: #1a7f37; --fail: #cf222e; --warn: #9a6700; --skip: #8c959f; --ink: #1f2328;
  --quiet: #59636e; --line: #d1d9e0; --soft: #f6f8fa; --paper: #fff; --accent: #0969da; --add: #dafbe1; --del: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --pass: #3fb950; --fail: #f85149; --warn: #d29922; --skip: #656c76;
  --ink: #e6edf3; --quiet: #9198a1; --line: #3d444d; --soft: #151b23; --paper: #0d1117; --accent: #4493f8;
  --add: #12261e; --del: #25171c; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 76rem;
  margin: 0 auto; padding: 1.5rem 1.5rem 4rem; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .7rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; } p { margin: .4rem 0; }
.quiet { color: var(--quiet); } .error { color: var(--fail); overflow-wrap: anywhere; } small { color: var(--quiet); }
.hero { display: flex; gap: 1.6rem; align-items: center; flex-wrap: wrap; margin: 1.2rem 0; }
.ring { width: 8.5rem; height: 8.5rem; border-radius: 50%; display: grid; place-items: center; flex: none; }
.ring div { width: 6.3rem; height: 6.3rem; border-radius: 50%; background: var(--paper); display: grid;
  place-content: center; text-align: center; line-height: 1.25; }
.ring b { font-size: 1.5rem; display: block; } .ring span { color: var(--quiet); font-size: .8rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.6rem, 1fr)); gap: .7rem; flex: 1 1 22rem; }
.cards div { border: 1px solid var(--line); border-radius: 10px; padding: .5rem .9rem; background: var(--soft); }
.cards b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.cards span { color: var(--quiet); font-size: .82rem; }
table { border-collapse: collapse; width: 100%; margin: .3rem 0 .8rem; }
td, th { text-align: left; padding: .3rem .7rem .3rem 0; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th { font-weight: 600; color: var(--quiet); font-size: .85rem; } td.n, th.n { text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
.status { display: inline-block; font-weight: 600; font-size: .82rem; border-radius: 1rem; padding: 0 .6rem; color: #fff;
  background: var(--skip); white-space: nowrap; }
@media (prefers-color-scheme: dark) { .status { color: #0d1117; } }
.status.passed { background: var(--pass); } .status.failed { background: var(--fail); }
.status.error, .status.cancelled { background: var(--warn); }
.passed { color: var(--pass); } .failed { color: var(--fail); } .status.passed, .status.failed { color: #fff; }
@media (prefers-color-scheme: dark) { .status.passed, .status.failed { color: #0d1117; } }
.flaky { border: 1px solid; border-radius: 1rem; padding: 0 .5rem; color: var(--warn); font-size: .82rem; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: inline-block; position: relative; width: 6rem; height: .6rem; background: var(--line); border-radius: 3px;
  vertical-align: middle; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--pass); }
.bar u { position: absolute; top: 35%; height: 30%; background: var(--ink); opacity: .7; }
.strips { display: grid; grid-template-columns: minmax(7rem, 16rem) 1fr auto; gap: .15rem .9rem; align-items: center; }
.strips > .axis { font-size: .75rem; color: var(--quiet); display: flex; justify-content: space-between; }
.strips .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.strip { position: relative; height: 1.5rem; background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat,
  repeating-linear-gradient(90deg, var(--line) 0 1px, transparent 1px 25%); border-right: 1px solid var(--line); }
.strip .range { position: absolute; top: .45rem; height: .6rem; border-radius: .3rem; background: var(--accent); opacity: .25; }
.strip .dot { position: absolute; width: .55rem; height: .55rem; margin: -.275rem; border-radius: 50%; background: var(--skip);
  opacity: .75; } .strip .dot.passed { background: var(--pass); } .strip .dot.failed { background: var(--fail); }
.strip .dot.error { background: var(--warn); }
.strip .mean { position: absolute; top: .15rem; height: 1.2rem; width: 3px; margin-left: -1px; background: var(--ink); }
.hist { display: inline-flex; align-items: flex-end; gap: 1px; height: 1.6rem; vertical-align: bottom; }
.hist i { width: .5rem; background: var(--accent); min-height: 1px; border-radius: 1px 1px 0 0; opacity: .8; }
.matrix td, .matrix th { padding: .15rem; border: 0; } .matrix th.top { vertical-align: bottom; font-weight: 500; }
.matrix th.top div { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 10rem; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; }
.matrix { width: auto; } .matrix th.side { font-weight: 500; max-width: 16rem; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; padding-right: .8rem; color: var(--ink); }
.cell { display: block; width: 2.6rem; height: 1.5rem; border-radius: 4px; font-size: .75rem; text-align: center; line-height: 1.5rem;
  font-variant-numeric: tabular-nums; color: var(--ink); background: var(--soft); }
.squares { display: inline-flex; gap: 2px; } .squares i { width: .8rem; height: 1.2rem; border-radius: 2px; background: var(--soft);
  border: 1px solid var(--line); } .squares i.passed { background: var(--pass); border-color: var(--pass); }
.squares i.failed { background: var(--fail); border-color: var(--fail); } .squares i.error { background: var(--warn);
  border-color: var(--warn); } .squares i.mixed { border: 0; background: linear-gradient(135deg, var(--pass) 50%, var(--fail) 50%); }
.squares i.skipped { background: var(--skip); }
details.task { border: 1px solid var(--line); border-radius: 10px; margin: .6rem 0; }
details.task > summary { padding: .6rem .9rem; display: flex; gap: .7rem; align-items: center; flex-wrap: wrap; }
details.task[open] > summary { border-bottom: 1px solid var(--line); background: var(--soft); border-radius: 10px 10px 0 0; }
details.task > .inner { padding: .3rem .9rem .9rem; } summary { cursor: pointer; } summary::marker { color: var(--quiet); }
details.task > summary b { flex: 1 1 12rem; } details.trial { border-top: 1px solid var(--line); padding: .35rem 0; } details.trial > div { padding-left: 1.1rem; }
div.trial > details { margin: .35rem 0; } div.trial > details > summary { color: var(--accent); }
.feedback { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 12rem; overflow: auto; display: block; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); border: 1px solid var(--line); padding: .6rem;
  border-radius: 8px; max-height: 30rem; overflow: auto; margin: .3rem 0; font: 12.5px/1.5 ui-monospace, monospace; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; } @media (max-width: 50rem) { .two { grid-template-columns: 1fr; } }
.lane { position: relative; height: 1.7rem; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0 .1rem;
  overflow: hidden; } .lane i { position: absolute; top: .2rem; bottom: .2rem; min-width: 3px; border-radius: 3px; background: var(--accent);
  opacity: .85; overflow: hidden; font: 11px/1.3rem system-ui, sans-serif; color: #fff; padding-left: 2px; white-space: nowrap; }
.lane i.bad { background: var(--fail); } .lane u { position: absolute; top: 0; bottom: 0; width: 2px; background: var(--pass); }
.lane u.user { background: var(--warn); }
ol.timeline { list-style: none; margin: .5rem 0; padding: 0 0 0 1rem; border-left: 2px solid var(--line); }
ol.timeline li { margin: .5rem 0; position: relative; } ol.timeline li::before { content: ""; position: absolute; left: -1.35rem;
  top: .4rem; width: .6rem; height: .6rem; border-radius: 50%; background: var(--skip); }
ol.timeline li.agent::before { background: var(--pass); } ol.timeline li.user::before { background: var(--warn); }
ol.timeline li.tool::before { background: var(--accent); } ol.timeline li.bad::before { background: var(--fail); }
ol.timeline .kind { font-weight: 600; } ol.timeline time { color: var(--quiet); font-size: .8rem; margin-left: .5rem; }
.diff { border: 1px solid var(--line); border-radius: 8px; overflow: auto; max-height: 34rem; margin: .4rem 0;
  font: 12.5px/1.55 ui-monospace, monospace; } .diff > div { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 .7rem; }
.diff .head { background: var(--soft); font-weight: 600; padding: .3rem .7rem; position: sticky; top: 0; border-bottom: 1px solid var(--line); }
.diff .add { background: var(--add); } .diff .del { background: var(--del); } .diff .at { color: var(--quiet); background: var(--soft); }
.dumb { position: relative; height: 1.3rem; background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat; }
.dumb u { position: absolute; top: .5rem; height: .3rem; } .dumb u.up { background: var(--pass); } .dumb u.down { background: var(--fail); }
.dumb i { position: absolute; top: .25rem; width: .8rem; height: .8rem; margin-left: -.4rem; border-radius: 50%; background: var(--paper);
  border: 2px solid var(--quiet); } .dumb i.now { background: var(--ink); border-color: var(--ink); }
footer { margin-top: 3rem; color: var(--quiet); font-size: .85rem; border-top: 1px solid var(--line); padding-top: .8rem; }
@media (max-width: 45rem) { .strips { grid-template-columns: minmax(4rem, 7rem) 1fr auto; gap: .15rem .5rem; }
  table { display: block; overflow-x: auto; } td, th { overflow-wrap: normal; } body { padding: 1rem .8rem; } }
@media print { body { max-width: none; } pre, .diff { max-height: none; } }
"""
