import type { Preset } from '../../../../main/contract/run/preset';
import { TableHead } from '../../../components/table';
import { useWizard } from '../wizard-context';

const headings = ['', 'Name', 'Type', 'Shape'];

type Tensor = Preset['signature']['inputs'][number];

/** "[batch, ?, 768]": the batch comes first, "?" varies, names are arguments of the profile. */
function useShapeText(): (tensor: Tensor) => string {
  const { valueAt } = useWizard();
  const dimension = (size: number | string, axis: number): string => {
    if (size === -1) return axis === 0 ? 'batch' : '?';
    if (typeof size === 'number') return String(size);
    const value = valueAt(['model', 'args', size]);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : size;
  };
  return ({ shape }) => `[${shape.map(dimension).join(', ')}]`;
}

const shortCount = 2;

export function TensorLine() {
  const { preset } = useWizard();
  const shapeText = useShapeText();
  const { inputs, outputs } = preset.signature;
  const list = (tensors: readonly Tensor[]): string => {
    const texts = tensors.map((tensor) => `${tensor.name} ${tensor.datatype} ${shapeText(tensor)}`);
    const more = texts.length - shortCount;
    return [...texts.slice(0, shortCount), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  };
  return (
    <>
      Input: {list(inputs)}. Output: {list(outputs)}.
    </>
  );
}

export function TensorTable() {
  const { preset } = useWizard();
  const shapeText = useShapeText();
  const { inputs, outputs } = preset.signature;
  const rows = [
    ...inputs.map((tensor) => ({ kind: 'Input', ...tensor })),
    ...outputs.map((tensor) => ({ kind: 'Output', ...tensor })),
  ];
  return (
    <table className="table" aria-label="Inputs and outputs">
      <TableHead headings={headings} />
      <tbody>
        {rows.map(({ kind, ...tensor }) => (
          <tr key={`${kind} ${tensor.name}`}>
            <td className="dim">{kind}</td>
            <td className="mono">{tensor.name}</td>
            <td className="mono">{tensor.datatype}</td>
            <td className="mono">{shapeText(tensor)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
