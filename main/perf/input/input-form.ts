import { shortText } from '../../platform/lines';
import { elementCount, typeText, type WantedTensor } from './wanted-tensor';

const mostShown = 4;
/** Size of a variable axis in examples. */
const someSize = 2;

function exampleOf(datatype: string): string {
  if (datatype === 'BYTES') return '"text"';
  if (datatype === 'BOOL') return 'true';
  return /^(FP|BF)/.test(datatype) ? '0.5' : '1';
}

/** An entry's member: `"IN0": [0.5, 0.5, …]`. */
function memberForm({ name, datatype, shape, sample }: WantedTensor): string {
  const given = sample ?? shape;
  const whole = given.map((size) => (size < 0 ? someSize : size));
  const count = elementCount(whole);
  const shown = Array.from({ length: Math.min(count, mostShown) }, () => exampleOf(datatype));
  const list = `[${[...shown, ...(count > mostShown ? ['…'] : [])].join(', ')}]`;
  const varies = given.some((size) => size < 0);
  return `${JSON.stringify(shortText(name))}: ${varies ? `{"content": ${list}, "shape": [${whole.join(', ')}]}` : list}`;
}

/** Form of a tensor with its number of values. */
export function tensorForm(wanted: WantedTensor): string {
  const { datatype, shape, sample = shape } = wanted;
  const varies = sample.some((size) => size < 0);
  const count = elementCount(sample);
  const many = varies ? '' : `, with ${count} ${count === 1 ? 'value' : 'values'}`;
  return `Write it as {${memberForm(wanted)}}${many}: the model takes ${typeText(datatype, shape)} per sample.`;
}

export function fileForm(inputs: readonly WantedTensor[]): string {
  const shown = inputs.slice(0, mostShown).map(memberForm);
  const members = [...shown, ...(inputs.length > mostShown ? ['…'] : [])].join(', ');
  return `Write it as {"data": [{${members}}]}, one entry per sample. An npz file, and a folder with a file for each input, work too.`;
}
