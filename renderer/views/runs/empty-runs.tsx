import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { attempt } from '../../components/notices';
import { useWorkbench } from '../../workbench';

/** Before the first run: the demo, and what it will do. */
export function EmptyRuns() {
  const { client, route } = useWorkbench();
  const [starting, setStarting] = useState(false);
  const start = async (): Promise<void> => {
    setStarting(true);
    try {
      const spec = await client.call('presets.resolve', { preset: 'resnet50', overrides: {} });
      const { runId } = await client.call('runs.start', { spec });
      route.getState().go({ page: 'run', runId });
    } finally {
      setStarting(false);
    }
  };
  return (
    <div className="empty tall">
      <h2>No runs yet</h2>
      <p>
        The demo trains a small ResNet50 for some seconds, exports it, serves it on a real Triton Inference
        Server on this machine, checks its accuracy, measures latency and throughput, and writes the report.
        It takes a few minutes.
      </p>
      <Button
        leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
        loading={starting}
        onClick={() => {
          attempt(start);
        }}
      >
        Start the ResNet50 demo
      </Button>
    </div>
  );
}
