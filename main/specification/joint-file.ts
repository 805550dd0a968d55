import { invalidInput, WorkbenchError } from '../contract/errors';
import { nearestName } from '../contract/fields/nearest-name';
import { jointFileSchema, type PlacedJointFile } from '../contract/study/joint';
import { isTree } from '../contract/trees';
import { shortText } from '../platform/lines';
import { parsePlacedYaml, type PlacedYaml } from '../platform/parse-yaml';

const example =
  'For example: "models: [{model: latest, rate: 100, p99Ms: 20}, {model: resnet50, rate: 40, p99Ms: 50}]".';

const known = [
  ...Object.keys(jointFileSchema.shape),
  ...Object.keys(jointFileSchema.shape.models.element.shape),
  ...['instances', 'maxBatchSize', 'batching', 'preferredBatchSizes', 'maxQueueDelayUs', 'threads'],
];

function placedIn(text: string, fileName: string): PlacedYaml {
  try {
    return parsePlacedYaml(text);
  } catch (cause) {
    if (cause instanceof WorkbenchError) throw cause;
    throw invalidInput(fileName, cause instanceof Error ? cause.message : String(cause), example);
  }
}

/** A file whose top has `models` is of several models. @returns null for any other. Throws input-invalid with the line. */
export function readJointFile({
  text,
  fileName,
}: {
  readonly text: string;
  readonly fileName: string;
}): PlacedJointFile | null {
  const { value, lineOf } = placedIn(text, fileName);
  if (!isTree(value) || !('models' in value)) return null;
  const read = jointFileSchema.safeParse(value);
  if (read.success) {
    return { file: read.data, lines: read.data.models.map((_model, at) => lineOf(['models', at])) };
  }
  const [issue] = read.error.issues;
  const path = (issue?.path ?? []).filter((part) => typeof part !== 'symbol');
  const [unknown] = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const at = unknown === undefined ? path : [...path, unknown];
  const nearest = unknown === undefined ? null : nearestName(unknown, known);
  const field = shortText(at.join('.'));
  throw invalidInput(
    `${fileName}, line ${lineOf(at)}, ${field}`,
    unknown === undefined ? `${field} ${issue?.message ?? 'is not valid'}` : `Unknown field ${field}`,
    nearest !== null ? `Did you mean ${nearest}?` : at.length > 1 ? 'Correct it in the file.' : example,
  );
}
