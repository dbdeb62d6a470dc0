"""The look of the HTML report, light and dark."""

STYLE = """
:root { color-scheme: light dark; --pass: #1a7f37; --fail: #cf222e; --quiet: #6e7781; --line: #8884; --soft: #8881; }
@media (prefers-color-scheme: dark) { :root { --pass: #3fb950; --fail: #f85149; --quiet: #8b949e; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; } .quiet { color: var(--quiet); }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1rem 0; }
.cards div { border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1rem; }
.cards b { display: block; font-size: 1.4rem; } .cards span { color: var(--quiet); font-size: .85rem; }
details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; padding: .4rem .8rem; }
details details { border: 0; padding: 0; } summary { cursor: pointer; } summary b { margin: 0 .6rem 0 .3rem; }
table { border-collapse: collapse; width: 100%; margin: .3rem 0; }
td, th { text-align: left; padding: .2rem .6rem .2rem 0; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th { font-weight: 600; color: var(--quiet); }
.passed { color: var(--pass); } .failed, .error, .cancelled { color: var(--fail); } .skipped { color: var(--quiet); }
.status { font-weight: 600; } .flaky { border: 1px solid; border-radius: 1rem; padding: 0 .5rem; color: var(--fail); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .6rem; border-radius: 6px;
  max-height: 30rem; overflow: auto; margin: .3rem 0; }
.bar { display: inline-block; position: relative; width: 6rem; height: .6rem; background: #8883; border-radius: 3px;
  vertical-align: middle; }
.bar i { display: block; height: 100%; background: var(--pass); border-radius: 3px; }
.bar u { position: absolute; top: 35%; height: 30%; background: currentColor; opacity: .6; }
.number { font-variant-numeric: tabular-nums; }
ol.timeline { list-style: none; margin: .3rem 0; padding: 0 0 0 .8rem; border-left: 2px solid var(--line); }
ol.timeline li { margin: .3rem 0; } ol.timeline .kind { font-weight: 600; }
.add { color: var(--pass); } .del { color: var(--fail); }
"""
