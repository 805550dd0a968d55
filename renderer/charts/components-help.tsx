import { ActionIcon, Popover } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { requestSteps } from './request-steps';

/** The eight steps of a request and the column in which each one's time is counted. */
export function ComponentsHelp() {
  return (
    <Popover position="bottom-start" shadow="md" withinPortal width={560}>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label="The eight steps of a request">
          <IconHelpCircle size={15} aria-hidden="true" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="The eight steps of a request">
        <table className="table steps-table">
          <thead>
            <tr>
              <th scope="col" className="number">
                Step
              </th>
              <th scope="col">Of a request</th>
              <th scope="col">Counted as</th>
            </tr>
          </thead>
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
