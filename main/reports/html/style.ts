import { chartFont, ink } from '../charts/chart-base';

/** Reports load nothing and execute nothing. */
export const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** For screen and paper, whose size `frame.ts` sets. Needs Chromium 114. */
export const style = `
* { box-sizing: border-box; }
html { color-scheme: light; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0; background: #fff; color: ${ink.text}; font: 8.5pt/1.4 ${chartFont}; font-variant-numeric: tabular-nums; }
main { max-width: 182mm; margin: 0 auto; }
@media screen { body { background: #eef1f4; } main { background: #fff; margin: 8mm auto; padding: 14mm; max-width: 210mm; box-shadow: 0 1px 4px rgba(31, 41, 51, .18); } }
h1, h2, h3, p { margin: 0; }
h1 { font-size: 19pt; line-height: 1.2; letter-spacing: -.01em; font-weight: 700; overflow-wrap: anywhere; }
h2 { font-size: 12.5pt; line-height: 1.25; margin: 8mm 0 2.5mm; padding-top: 2.2mm; border-top: 1.6pt solid ${ink.text}; break-after: avoid; }
h3 { font-size: 8.8pt; margin: 4mm 0 1.2mm; break-after: avoid; }
p, dd { orphans: 3; widows: 3; }
.record { break-before: page; }
.record > section:first-of-type > h2 { margin-top: 2.5mm; }
.part { margin-top: 9mm; break-after: avoid; font-weight: 700; }
.record > .part:first-child { margin-top: 0; }
.part + section > h2 { margin-top: 2.5mm; }
.commands > .eyebrow { margin-top: 9mm; font-weight: 700; break-after: avoid; } .commands > h2 { margin-top: 2.5mm; }
.soft, .lead { color: ${ink.soft}; }
.lead { margin-bottom: 2mm; max-width: 150mm; break-inside: avoid; break-after: avoid; }
.eyebrow { white-space: nowrap; font-size: 7.2pt; letter-spacing: .09em; text-transform: uppercase; color: ${ink.soft}; }
header .top { display: flex; justify-content: space-between; align-items: flex-start; gap: 6mm; margin-bottom: 2mm; }
.logo { display: block; max-width: 70mm; max-height: 12mm; margin-bottom: 1.6mm; }
.remarks { margin-top: 1.6mm; max-width: 160mm; overflow-wrap: anywhere; }
.prepared { font-size: 8.5pt; margin-bottom: 1mm; }
.unbroken { white-space: nowrap; }
.badges { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 1.2mm 1.6mm; }
h2 .badge { margin-left: 2mm; vertical-align: .6mm; }
.badge { font-size: 7.4pt; font-weight: 700; line-height: 1; padding: 1.5mm 2.4mm; border-radius: 1.2mm; border: .6pt solid; white-space: nowrap; }
.good { color: #00664b; border-color: #7cc9b2; background: #e6f5f0; }
.warning { color: #7a4d00; border-color: #ecc46a; background: #fdf5e0; }
.bad { color: #9b2c00; border-color: #f0a987; background: #fdeee6; }
.neutral { color: ${ink.soft}; border-color: ${ink.line}; background: #f5f7fa; }
.verdict { font-size: 13pt; line-height: 1.36; font-weight: 600; margin: 4.5mm 0 1mm; text-wrap: balance; overflow-wrap: anywhere; }
.verdict.long { font-size: 10.5pt; }
.verdict.unsure { border-left: 2.4pt solid #ecc46a; padding-left: 2.6mm; }
.figures { display: grid; grid-template-columns: 1.27fr repeat(4, 1fr); margin: 5mm 0 0; border: .6pt solid ${ink.line}; border-radius: 1.4mm; break-inside: avoid; }
.figures > div { padding: 2.6mm 2.3mm 2.4mm; border-left: .6pt solid ${ink.line}; min-width: 0; }
.figures > div:first-child { border-left: 0; }
.figures dt { font-size: 7.2pt; color: ${ink.soft}; }
.figures dd { margin: 0; }
.figures .value { font-size: 15pt; line-height: 1.3; font-weight: 700; letter-spacing: -.01em; }
.figures .unit { display: inline-block; white-space: nowrap; font-size: 7.2pt; font-weight: 400; letter-spacing: 0; color: ${ink.soft}; }
.figures .note { font-size: 7pt; line-height: 1.3; color: ${ink.soft}; overflow-wrap: anywhere; }
.doubts { margin-top: 3.4mm; padding: 2mm 3mm 2.2mm; border-style: solid; border-width: .6pt .6pt .6pt 2.4pt; border-radius: 1mm; break-inside: avoid; overflow-wrap: anywhere; }
.doubts h3 { margin: 0 0 .6mm; }
ul { margin: 0; padding-left: 4mm; }
li { margin: .3mm 0; }
.procedure { font-size: 7.8pt; columns: 2; column-gap: 10mm; } .procedure li { margin: 0 0 .6mm; break-inside: avoid; }
.summary .charts { margin-bottom: 0; grid-template-columns: 76mm 76mm; justify-content: space-between; } .summary .verdict { font-size: 10.5pt; margin-top: 2mm; } .summary { font-size: 8pt; line-height: 1.3; } .summary .figures { margin-top: 2mm; }
.summary .pair { margin-top: 3mm; }
.summary td { padding: .45mm 1.2mm; }
.summary .named td:first-child { width: 27%; padding-left: 0; }
.problem { break-inside: avoid-page; border-style: solid; border-width: .6pt .6pt .6pt 2.4pt; border-radius: 1mm; padding: 2mm 3mm; margin-top: 2.4mm; overflow-wrap: anywhere; }
.problem strong { margin-right: 1mm; }
.problem.bad p:first-child::before { content: "✗ "; font-weight: 700; } .problem.warning p:first-child::before { content: "! "; font-weight: 700; }
.problem p + p { margin-top: .6mm; }
.problem pre { background: transparent; border: 0; padding: 0; margin: 1mm 0 0; color: inherit; max-height: none; }
table { width: 100%; border-collapse: collapse; font-size: 7.6pt; line-height: 1.3; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
tbody tr:nth-child(-n + 2) { break-after: avoid; } tbody tr:last-child { break-after: auto; }
/* Chromium that lacks this leaves a page nearly empty where the last rows move to it together. */
@supports (text-box-trim: trim-both) { tbody tr:nth-last-child(-n + 4):not(:last-child) { break-after: avoid; } }
th { text-align: left; font-weight: 600; color: ${ink.soft}; font-size: 7pt; line-height: 1.22; vertical-align: bottom; padding: 0 1.2mm 1mm; border-bottom: .8pt solid ${ink.text}; }
td { padding: .8mm 1.2mm; border-bottom: .5pt solid ${ink.grid}; vertical-align: top; unicode-bidi: isolate; overflow-wrap: anywhere; }
th:first-child, td:first-child { padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
th.n, td.n { text-align: right; overflow-wrap: normal; }
td.n { white-space: nowrap; }
th.n + th:not(.n), td.n + td:not(.n) { padding-left: 4mm; }
.load td.n + td:not(.n) { padding-left: 2.6mm; }
.fixed { table-layout: fixed; }
.named td:first-child { width: 30%; }
.outputs th:nth-child(1) { width: 16%; } .outputs th:nth-child(2), .outputs th:nth-child(3) { width: 10.5%; } .outputs th:nth-child(4) { width: 17%; } .outputs th:nth-child(5), .outputs th:nth-child(6) { width: 4.5%; } .outputs th:nth-child(7) { width: 7.5%; } .outputs th:nth-child(8) { width: 17.5%; }
.outputs .tick { white-space: normal; }
.metrics th:nth-child(1) { width: 28%; } .metrics th:nth-child(6) { width: 20%; }
.steps th:nth-child(1) { width: 20%; } .steps th:nth-child(2) { width: 11%; } .steps th:nth-child(3) { width: 10%; }
.sampling td { vertical-align: middle; overflow-wrap: normal; }
.sampling td:last-child { width: 22mm; }
.sampling .tick { white-space: normal; }
.sampling .range { white-space: nowrap; font-size: 6.6pt; color: ${ink.soft}; }
.tight { font-size: 6.8pt; } .tight th { font-size: 6.2pt; } .tight th, .tight td { padding-left: .6mm; padding-right: .6mm; } .tight .histogram { width: 17mm; } .tight .range { font-size: 5.8pt; } .tight td.n + td:not(.n), .tight th.n + th:not(.n) { padding-left: 2mm; } .tight.sampling td:last-child { width: 19mm; }
.histogram { display: inline-block; width: 22mm; height: 3.4mm; fill: ${ink.soft}; vertical-align: top; }
.intervals th:nth-child(-n + 2) { width: 6%; }
.failed th:nth-child(-n + 3) { width: 8%; } .failed th:nth-child(4) { width: 22%; }
.composing th:nth-child(-n + 2) { width: 6%; } .composing th:nth-child(3) { width: 17%; }
.params th:nth-child(1) { width: 35.5%; } .params th:nth-child(2) { width: 28%; }
.batches th:nth-child(1) { width: 46%; }
.cold-start > ul { break-inside: avoid; break-after: avoid; margin-bottom: 2.5mm; }
.load { font-size: 7.1pt; table-layout: fixed; }
.load th { font-size: 6.5pt; padding: 0 .7mm .9mm; overflow-wrap: normal; }
.load td { padding: .7mm .7mm; }
.load tr.group th, .schedule tr.group th { border-bottom: .5pt solid ${ink.line}; padding-bottom: .5mm; text-align: left; }
.load .gap, .schedule .gap { padding-left: 2.6mm; }
.load .mark { width: 3mm; text-align: center; }
.load tr.unsteady td { color: #7a4d00; }
.load tr.hole td { color: #9b2c00; }
.load .peak { font-weight: 700; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 7mm; align-items: start; }
.pair > div { min-width: 0; }
.pair.whole { break-inside: avoid; }
.columns { columns: 2; column-gap: 7mm; }
.columns > div { break-inside: avoid; margin-bottom: 4mm; }
.columns > div > h3, .columns > h3:first-child { margin-top: 0; }
.folded { break-inside: avoid; font-size: 7.2pt; margin: .8mm 0 0; overflow-wrap: anywhere; }
.folded strong { margin-right: 1mm; }
.mono, pre, code { font-family: "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace; font-size: 6.6pt; }
td.mono { color: ${ink.soft}; line-height: 1.35; padding-top: 1.15mm; }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 2mm 5mm; margin: 0 0 2.5mm; }
.charts figure { margin: 0; break-inside: avoid; }
.charts figure.wide { grid-column: 1 / 3; }
.charts svg { display: block; width: 100%; height: auto; }
.pair > div > h3, .pair > div > div:first-child > h3 { margin-top: 0; }
.key { font-size: 7pt; color: ${ink.soft}; margin: 1.4mm 0 0; break-before: avoid; break-inside: avoid; }
.tick { font-weight: 700; white-space: nowrap; }
.tick.yes { color: #00664b; } .tick.no { color: #9b2c00; } .tick.unsure { color: #7a4d00; } .tick.plain { color: ${ink.soft}; font-weight: 400; }
.facts { margin: 0; } .facts div { display: inline-block; } .facts div:not(:last-child)::after { content: " ·\\00a0"; color: ${ink.soft}; }
.facts dt, .facts dd { display: inline; margin: 0; } .facts dt { color: ${ink.soft}; } .facts dt::after { content: " "; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 1.4mm; padding: 1.3mm 2mm; line-height: 1.5; background: #f5f7fa; border: .5pt solid ${ink.grid}; border-radius: .8mm; unicode-bidi: isolate; }
.commands h3 { font-size: 8pt; margin: 2.6mm 0 .8mm; }
.commands .note { font-size: 7pt; color: ${ink.soft}; margin: 0 0 .4mm; break-after: avoid; }
.commands pre { font-size: 6.2pt; line-height: 1.4; padding: .8mm 1.4mm; margin-bottom: .9mm; break-inside: avoid; }
.notes { display: grid; grid-template-columns: 34mm 1fr; gap: 1.3mm 4mm; margin: 0; font-size: 7.8pt; }
.notes dt { font-weight: 600; break-inside: avoid; } .notes dd { margin: 0; max-width: 140mm; break-inside: avoid; }
`;
