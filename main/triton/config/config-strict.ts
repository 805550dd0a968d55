import * as protobuf from 'protobufjs/light.js';
import type { WorkbenchError } from '../../contract/errors';
import { modelConfigType, textName } from '../plain-message';
import { complaint } from './config-tokens';
import { type ConfigNode, configTree } from './config-tree';

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

interface Place {
  readonly text: string;
  readonly type: protobuf.Type;
}

const fieldOf = ({ type }: Place, name: string): protobuf.Field | undefined =>
  type.fieldsArray.find((field) => field.name === name || textName(field.name) === name)?.resolve();

/** The first field that is written again though it is not a list. */
function writtenTwice(nodes: readonly ConfigNode[], place: Place): WorkbenchError | null {
  const { text } = place;
  const first = new Map<string, ConfigNode>();
  for (const node of nodes) {
    const field = fieldOf(place, node.name);
    // A map's entry has fields of its own.
    if (field === undefined || field.map) continue;
    const before = first.get(node.name);
    if (!field.repeated && before !== undefined) {
      return complaint(
        lineOf(text, node.start),
        `${node.name} is written twice, in line ${lineOf(text, before.start)} too`,
        'Remove one of them.',
      );
    }
    first.set(node.name, node);
    const { resolvedType } = field;
    if (!(resolvedType instanceof protobuf.Type)) continue;
    for (const { message } of node.values) {
      const found = message === null ? null : writtenTwice(message.fields, { text, type: resolvedType });
      if (found !== null) return found;
    }
  }
  return null;
}

/** Two fields of which a message has one: the second of them; null where only one is written. */
function excludedField(nodes: readonly ConfigNode[], { text, type }: Place): WorkbenchError | null {
  for (const { fieldsArray } of type.oneofsArray) {
    const names = new Set(fieldsArray.map(({ name }) => textName(name)));
    const [first, second] = nodes.filter(({ name }) => names.has(name));
    if (first === undefined || second === undefined) continue;
    return complaint(
      lineOf(text, second.start),
      `${second.name} excludes ${first.name}, which is written in line ${lineOf(text, first.start)}`,
      'Remove one of them.',
    );
  }
  return null;
}

function nodesOf(text: string): readonly ConfigNode[] {
  try {
    return configTree(text);
  } catch {
    return [];
  }
}

/**
 * What Triton's parser refuses in a text that this one reads: a byte order mark, fields that are written twice, and two of a
 * choice. null where it refuses nothing else, and of a text that this parser refuses too.
 */
export function strictComplaint(text: string): WorkbenchError | null {
  if (text.startsWith('\ufeff')) {
    const message = 'The file begins with a byte order mark';
    return complaint(1, message, 'Save it as UTF-8 without one.');
  }
  const nodes = nodesOf(text);
  const place = { text, type: modelConfigType };
  return writtenTwice(nodes, place) ?? excludedField(nodes, place);
}
