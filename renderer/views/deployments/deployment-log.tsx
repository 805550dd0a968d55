import { useEffect, useState } from 'react';
import { noticeError } from '../../components/notices';
import { pollWhileSeen } from '../../stores/poll';
import { useWorkbench } from '../../workbench';

const limit = 200;
const readMs = 3000;

export function DeploymentLog({ id }: { id: string }) {
  const { client } = useWorkbench();
  const [open, setOpen] = useState(false);
  const [lines, setLines] = useState<readonly string[] | null>(null);
  useEffect(() => {
    if (!open) return undefined;
    const reported = { once: false };
    return pollWhileSeen(
      document,
      async () => {
        try {
          setLines(await client.call('deployments.log', { id, limit }));
        } catch (error) {
          if (!reported.once) noticeError(error);
          reported.once = true;
        }
      },
      readMs,
    );
  }, [client, id, open]);
  return (
    <details className="deployment-code" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Log</summary>
      <pre className="mono" tabIndex={0} aria-label={`Log of ${id}`}>
        {lines === null ? 'Reading the log' : lines.length === 0 ? 'The log is empty' : lines.join('\n')}
      </pre>
    </details>
  );
}
