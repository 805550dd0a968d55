import { Panel } from '../../../components/panel';
import { TableHead } from '../../../components/table';
import { useWizard } from '../wizard-context';

const headings = ['', 'Name', 'Type', 'Shape'];

/** Tensors of the model; the batch comes first. */
export function TensorTable() {
  const { preset, valueAt } = useWizard();
  const { inputs, outputs } = preset.signature;
  const dimension = (size: number | string): string => {
    if (size === -1) return 'batch';
    if (typeof size === 'number') return String(size);
    const value = valueAt(['model', 'args', size]);
    return typeof value === 'string' ? value : size;
  };
  const rows = [
    ...inputs.map((tensor) => ({ kind: 'Input', ...tensor })),
    ...outputs.map((tensor) => ({ kind: 'Output', ...tensor })),
  ];
  return (
    <table className="table" aria-label="Inputs and outputs">
      <TableHead headings={headings} />
      <tbody>
        {rows.map(({ kind, name, datatype, shape }) => (
          <tr key={`${kind} ${name}`}>
            <td className="dim">{kind}</td>
            <td className="mono">{name}</td>
            <td className="mono">{datatype}</td>
            <td className="mono">[{shape.map(dimension).join(', ')}]</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Inputs and outputs of the exported model. */
export function SignatureTable() {
  return (
    <Panel title="Inputs and outputs" level={3} note="checked against the exported file">
      <TensorTable />
    </Panel>
  );
}
