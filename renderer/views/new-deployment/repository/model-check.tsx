import { IconCircleX } from '@tabler/icons-react';
import { missing } from '../../../../main/contract/numbers';
import type { CheckedModel, CheckedTensor, CheckProblem } from '../../../../main/contract/repository-check';
import { DiffText, unifiedLines } from '../../../components/code/diff-text';
import { CopyButton } from '../../../components/copy-button';
import { Panel } from '../../../components/panel';
import { Status } from '../../../components/status-text';
import { ScrollTable, TableHead } from '../../../components/table';
import { asSentence, capitalized } from '../../../format/words';
import { tensorWords } from './check-words';

function Problems({ name, problems }: { name: string; problems: readonly CheckProblem[] }) {
  return (
    <ul className="problem-list" aria-label={`Problems of ${name}`}>
      {problems.map(({ where, message, remedy, triton }) => (
        <li key={`${where} ${message}`} className="problem-item" data-severity="problem">
          <IconCircleX size={15} className="tone-bad" aria-label="Problem" />
          <div className="stack-small">
            <span>
              {asSentence(capitalized(message))} {asSentence(remedy)}
            </span>
            <span className="dim mono">{where}</span>
            {triton === null ? null : <span className="dim">Triton: {triton}</span>}
          </div>
        </li>
      ))}
    </ul>
  );
}

const headings = ['Side', 'Tensor', 'config.pbtxt', 'File', 'Result'];

function Tensors({ name, tensors }: { name: string; tensors: readonly CheckedTensor[] }) {
  return (
    <ScrollTable label={`Tensors of ${name}`}>
      <TableHead headings={headings} />
      <tbody>
        {tensors.map(({ side, name: tensor, configured, file, result }) => (
          <tr key={`${side} ${tensor}`} data-result={result}>
            <td className="dim">{side === 'input' ? 'Input' : 'Output'}</td>
            <td className="mono">{tensor}</td>
            <td className="mono">{configured ?? missing}</td>
            <td className="mono">{file ?? missing}</td>
            <td>
              <Status {...tensorWords[result]} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

/** What `check` says of a model: problems with the change that helps, then tensor by tensor. */
export function ModelCheck({ model }: { model: CheckedModel }) {
  const { name, problems, tensors, notChecked, diff, needs = [] } = model;
  return (
    <div className="stack column">
      {problems.length === 0 ? null : <Problems name={name} problems={problems} />}
      {diff === null ? null : (
        <Panel
          title="Change to config.pbtxt that fixes it"
          level={3}
          head={<CopyButton label="Copy the difference" text={diff} />}
        >
          <DiffText lines={unifiedLines(diff)} />
        </Panel>
      )}
      {tensors.length === 0 ? null : <Tensors name={name} tensors={tensors} />}
      {needs.map(({ where, message, gpus }) => (
        <p key={`${where} ${message}`} className="dim">
          {where}: {message}. The local Triton {gpus ? 'has no GPU' : 'does not have it'}.
        </p>
      ))}
      {notChecked.map((line) => (
        <p key={line} className="dim">
          {line}
        </p>
      ))}
    </div>
  );
}
