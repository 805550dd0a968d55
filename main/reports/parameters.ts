import { accuracyFields, scenarioFields } from '../contract/fields/accuracy-fields';
import type { FieldRow, ValueAt } from '../contract/fields/field';
import { applies, defaultOf, labelOf, rowOf, valuesAt, valuesOf } from '../contract/fields/fields';
import { modelFields } from '../contract/fields/model-fields';
import { parameterText } from '../contract/fields/parameter-text';
import { performanceFields } from '../contract/fields/performance-fields';
import { servingFields } from '../contract/fields/serving-fields';
import { formatScale } from '../contract/numbers';
import type { RunSpec } from '../contract/run/run-spec';
import { gatewayUrl, performanceOfLoad, type ServerLoad, serverUrl } from '../contract/run/server-load';
import { plannedSweep } from '../contract/run/sweep';
import { isTree, leavesOf, sameValue } from '../contract/trees';
import { levelText } from '../contract/words';
import type { Parameter, ParameterGroup } from './report';

type Measuring = Pick<RunSpec, 'performance'>;

/** Explains values that are unclear on their own. */
function textOf(row: FieldRow, value: unknown, spec: Measuring, overridden: boolean): string | null {
  if (row.path === 'performance.concurrency' && plannedSweep(spec.performance, 'online') === 'requestRate') {
    return 'not used: measured by request rate';
  }
  if (row.path === 'accuracy.allowUnverified' && overridden && value !== true) {
    return 'off; continued on request, marked “accuracy failed”';
  }
  return parameterText(row, value);
}

/** One row per value of a field. */
function parametersOf(
  row: FieldRow,
  spec: Measuring,
  valueAt: ValueAt,
  overridden: boolean,
): readonly Parameter[] {
  const parameter = (field: string, value: string): Parameter => ({
    name: labelOf(field),
    field,
    value,
    upstream: row.variables ?? [],
    folded: false,
  });
  if (row.path.endsWith('.*')) {
    const values = valueAt(row.path.slice(0, -2));
    return leavesOf(isTree(values) ? values : {}).map(([[name = ''], value]) =>
      parameter(row.path.replace('*', name), parameterText(row, value) ?? 'none'),
    );
  }
  const set = valueAt(row.path);
  // Usually empty.
  if (set === undefined && row.group === 'apart') return [];
  if (!applies(row, valueAt)) {
    // Fields of other engines and model kinds are omitted.
    return row.essential === true || set === undefined || row.path.startsWith('engine.')
      ? []
      : [parameter(row.path, 'not used')];
  }
  const text = textOf(row, set ?? valuesOf(row).default, spec, overridden);
  return text === null ? [] : [parameter(row.path, text)];
}

const groups: readonly (readonly [title: string, rows: readonly FieldRow[]])[] = [
  ['Model', modelFields],
  ['Serving', servingFields],
  ['Measuring', [...performanceFields, ...scenarioFields]],
  ['Accuracy gate', accuracyFields],
];

const allGroups = (spec: RunSpec, overridden = false): readonly ParameterGroup[] =>
  groups.map(([title, rows]) => ({
    title,
    rows: rows
      .filter(({ internal = false }) => !internal)
      .flatMap((row) => parametersOf(row, spec, valuesAt(spec), overridden)),
  }));

/** Level lists, which a server's load words itself. */
const levelPaths: ReadonlySet<string> = new Set(
  [
    'batchSizes',
    'onlineBatchSize',
    'concurrency',
    'requestRates',
    'search',
    'latencyThresholdMs',
    'inputData',
    'inTurns',
  ].map((name) => `performance.${name}`),
);

/** Longer lists are shortened to their ends: open searches have a thousand levels. */
const mostNamed = 40;

function levelsText(levels: ServerLoad['levels']): string {
  const named = levels.length > mostNamed ? [...levels.slice(0, 1), ...levels.slice(-1)] : levels;
  const separator = levels.length > mostNamed ? ` … (${levels.length} levels) … ` : '; ';
  return named.map(levelText).join(separator);
}

const shapeText = ([name, dims]: readonly [string, readonly number[]]): string => `${name} ${dims.join('×')}`;

export function loadParameters(load: ServerLoad): readonly ParameterGroup[] {
  const { addresses, models, modelVersion, levels, shapes, sources, lengths, search, settings } = load;
  const row = (name: string, value: string): Parameter => ({
    name,
    field: name,
    value,
    upstream: [],
    folded: false,
  });
  const measured = { engine: { kind: 'remote', url: serverUrl(load) }, performance: performanceOfLoad(load) };
  const valueAt = valuesAt(measured);
  const usual = (field: string): boolean => {
    const of = rowOf(field);
    return of?.essential !== true && of !== undefined && sameValue(valueAt(field), defaultOf(of));
  };
  const found = Object.entries(shapes);
  const via = gatewayUrl(load);
  return [
    {
      title: 'Server',
      rows: [
        row('HTTP', addresses.http),
        row('gRPC', addresses.grpc),
        ...(via === null ? [] : [row('Also through the gateway', via)]),
        row(
          models.length === 1 ? 'Model' : 'Models',
          models
            .map(({ name, weight }) => (weight === 1 ? name : `${name} × ${formatScale(weight)}`))
            .join(', '),
        ),
        row('Model version', modelVersion === '' ? 'chosen by the server' : modelVersion),
        row('Levels', levelsText(levels)),
        row(
          'Order',
          load.inTurns ? '3 rounds, one window of each level in each' : 'one level after the other',
        ),
        ...(search === null
          ? []
          : [
              row(
                'Search',
                `${search.kind}, p${settings.percentile === 0 ? 99 : settings.percentile} within ${formatScale(search.thresholdUs / 1000)} ms`,
              ),
            ]),
        row('Input data', sources.join(', ') || 'random'),
        ...(lengths === undefined ? [] : [row('Sample lengths', lengths.text)]),
        ...(found.length === 0 ? [] : [row('Shapes', found.map(shapeText).join(', '))]),
      ],
    },
    {
      title: 'Measuring',
      rows: performanceFields
        .filter(({ path, internal = false }) => !internal && !levelPaths.has(path))
        .flatMap((field) => parametersOf(field, measured, valueAt, false))
        .filter(({ value }) => value !== 'not used')
        .map((parameter) => ({ ...parameter, folded: usual(parameter.field) })),
    },
  ];
}

/**
 * All parameters in words of the workbench and the published procedures.
 * @param defaults preset values; null if unknown. @param gateOverridden continued past a failed accuracy gate
 */
export function reportParameters(
  spec: RunSpec,
  defaults: RunSpec | null,
  gateOverridden = false,
): readonly ParameterGroup[] {
  const usual = new Map(
    (defaults === null ? [] : allGroups(defaults)).flatMap(({ rows }) =>
      rows.map(({ field, value }) => [field, value] as const),
    ),
  );
  return allGroups(spec, gateOverridden).map(({ title, rows }) => ({
    title,
    rows: rows.map((parameter) => ({
      ...parameter,
      folded: rowOf(parameter.field)?.essential !== true && usual.get(parameter.field) === parameter.value,
    })),
  }));
}
