import { csvAccuracy, csvColdStart, csvOffline, csvOnline, csvSlices, csvTraces } from './csv.exporter';
import { html } from './html.exporter';
import { json } from './json.exporter';
import { markdown } from './markdown.exporter';
import type { Exporter } from './report';

/** Throws for repeated ids. */
export function checkExporters(list: readonly Exporter[]): readonly Exporter[] {
  const seen = new Set<string>();
  for (const { id } of list) {
    if (seen.has(id)) throw new Error(`The report format "${id}" is registered twice`);
    seen.add(id);
  }
  return list;
}

/** The PDF is printed from `html`. */
export const exporters = checkExporters([
  html,
  csvOffline,
  csvOnline,
  csvAccuracy,
  json,
  markdown,
  csvSlices,
  csvColdStart,
  csvTraces,
]);
