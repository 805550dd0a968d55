import { Popover } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { BareIcon } from '../components/actions';
import { numeric, TableHead } from '../components/table';

/**
 * The way of one request, and the column of perf_analyzer that its time is counted in. Source: the eight steps named in
 * the performance chapters of the deployment READMEs that the presets come from.
 */
const requestSteps: readonly {
  readonly term: string;
  readonly what: string;
  readonly column: string;
}[] = [
  { term: 'Client send', what: 'the client serializes the request and sends it', column: 'Client send' },
  { term: 'Network', what: 'the message travels from client to server', column: 'Network + server' },
  { term: 'Server receive', what: 'the server deserializes the message', column: 'Network + server' },
  {
    term: 'Server queue',
    what: 'the request waits for a batch to fill or an instance to be free',
    column: 'Server queue',
  },
  {
    term: 'Server compute',
    what: 'inputs are gathered, the model runs, outputs are handed back',
    column: 'Compute input, infer, output',
  },
  { term: 'Server send', what: 'the server serializes the response', column: 'Network + server' },
  { term: 'Network', what: 'the response travels from server to client', column: 'Network + server' },
  { term: 'Client receive', what: 'the client deserializes the response', column: 'Client receive' },
];

const headings = [numeric('Step'), 'Of a request', 'Counted as'];

export function ComponentsHelp() {
  return (
    <Popover position="bottom-start" shadow="md" withinPortal width={560}>
      <Popover.Target>
        <BareIcon icon={IconHelpCircle} label="The eight steps of a request" />
      </Popover.Target>
      <Popover.Dropdown aria-label="The eight steps of a request">
        <table className="table steps-table">
          <TableHead headings={headings} />
          <tbody>
            {requestSteps.map((step, index) => (
              <tr key={index}>
                <td className="number">{index + 1}</td>
                <td>
                  <strong>{step.term}</strong>: {step.what}
                </td>
                <td>{step.column}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Popover.Dropdown>
    </Popover>
  );
}
