import { type ReportPart, reportParts } from '../../contract/settings/report-settings';
import { clipped } from '../../contract/words';
import { chartFont, ink } from '../charts/chart-base';
import { logoUri, type StoredReportSettings } from '../report-settings';
import { Markup, markup, plainText } from './markup';
import { footOf, longestMarks, type PageMarks, preparedText } from './page-marks';
import { contentPolicy, style } from './style';

/** A CSS string that ends no style sheet. */
const cssString = (text: string): string =>
  `"${plainText(text).replace(/[^\p{L}\p{N} ]/gu, (character) => `\\${(character.codePointAt(0) ?? 0).toString(16)} `)}"`;

/** Chromium 131 and later draw margin boxes; `marginTemplates` is for earlier ones. */
function pageStyle({ title, customer, author, landscape }: PageMarks): string {
  const box = (at: string, content: string) =>
    `@${at} { content: ${content}; font: 7pt ${chartFont}; color: ${ink.soft}; white-space: nowrap; }`;
  return `@page { size: A4${landscape ? ' landscape' : ''}; margin: 16mm 14mm 15mm;
${box('top-left', cssString(clipped(title, longestMarks.title)))} ${box('top-right', cssString(clipped(customer, longestMarks.name)))}
${box('bottom-left', cssString(footOf({ author })))} ${box('bottom-right', '"Page " counter(page) " of " counter(pages)')} }
${landscape ? 'main { max-width: 269mm; } @media screen { main { max-width: 297mm; } }' : ''}`;
}

/** A report in one file. @param ownStyle appended CSS */
export const htmlPage = (marks: PageMarks, body: Markup, ownStyle = ''): Markup => markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(contentPolicy)}">
<meta name="viewport" content="width=device-width">
<meta name="author" content="${marks.author}">
<meta name="customer" content="${marks.customer}">
<meta name="paper" content="${marks.landscape ? 'landscape' : 'portrait'}">
<title>${marks.title}</title>
<style>${new Markup(style + pageStyle(marks) + ownStyle)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

/** Of one report: its own words and those of the home. */
export type FrameSettings = Omit<StoredReportSettings, 'without'>;
type Sender = Pick<StoredReportSettings, 'logo' | 'customer' | 'author'>;

/** Whether the reader gets this part: some of its sections are not left out. */
export const hasPart = ({ without }: Pick<StoredReportSettings, 'without'>, part: ReportPart): boolean =>
  reportParts[part].some((section) => !without.includes(section));

const logoOf = ({ logo }: Sender): Markup | null =>
  logo === null ? null : markup`<img class="logo" src="${logoUri(logo)}" alt="Logo">`;

/** Logo, kind of report and badges, above the title. */
export const topLine = (settings: Sender, kind: string, badges: readonly Markup[] = []): Markup => {
  const prepared = preparedText(settings);
  return markup`<div class="top"><div>${logoOf(settings)}<p class="eyebrow">Triton Workbench · ${kind}</p></div>
<div class="badges">${badges}</div></div>${
    prepared === null
      ? null
      : markup`
<p class="prepared">${prepared}</p>`
  }`;
};

export const paragraphs = (text: string): readonly Markup[] =>
  text === ''
    ? []
    : text.split(/\n\s*\n/).map(
        (part) => markup`
<p class="remarks">${part.split('\n').map((line, index) => (index === 0 ? markup`${line}` : markup`<br>${line}`))}</p>`,
      );

/** A number stays with its sign and its unit, and an exponent with its number. */
const quantity =
  /(?:± )?\d[\d,.]*(?: ± \d[\d,.]*)? ?(?:inferences\/s|requests\/s|ms|µs|s|%|×|GiB|MiB|KiB|bytes|samples|requests|runs|levels|configurations)(?![\w/])|p\d\d(?: of)? [\d,.]+ (?:ms|requests)|\d[\d.]*e-\d+/g;

export function unbroken(text: string): Markup {
  const found = [...text.matchAll(quantity)];
  const parts = found.map((match, index) => {
    const end = index === 0 ? 0 : (found[index - 1]?.index ?? 0) + (found[index - 1]?.[0].length ?? 0);
    return markup`${text.slice(end, match.index)}<span class="unbroken">${match[0]}</span>`;
  });
  const last = found.at(-1);
  return markup`${parts}${text.slice(last === undefined ? 0 : last.index + last[0].length)}`;
}

/** Longer ones are set smaller. */
const shortVerdict = 180;

/** The head of a report that is of no single run. `lines` are facts in small print. */
export const reportHead = (
  settings: FrameSettings,
  head: {
    readonly kind: string;
    readonly title: string;
    readonly lines: readonly string[];
    readonly verdict: string;
  },
): Markup => markup`<header>
${topLine(settings, head.kind)}
<h1>${settings.title === '' ? head.title : settings.title}</h1>
${settings.title === '' ? null : markup`<p class="soft">${head.title}</p>`}
${head.lines.map((line) => markup`<p class="soft">${line}</p>`)}
<p class="verdict${head.verdict.length > shortVerdict ? ' long' : ''}">${unbroken(head.verdict)}</p>
${paragraphs(settings.notes)}
</header>`;

/** The marks of a page with these settings. @param title where the settings have none */
export const pageMarksOf = (settings: FrameSettings, title: string, landscape = false): PageMarks => ({
  title: settings.title === '' ? title : settings.title,
  customer: settings.customer,
  author: settings.author,
  landscape,
});
