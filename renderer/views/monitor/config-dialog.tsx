import { Modal } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { WireError } from '../../../main/contract/errors';
import { toWire } from '../../../main/contract/errors';
import { CopyButton } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { useWorkbench } from '../../workbench';

type Shown = { readonly text: string } | { readonly error: WireError } | null;

/** The configuration of a model as it is in force. */
export function ConfigDialog({ model, onClose }: { model: string; onClose: () => void }) {
  const { client } = useWorkbench();
  const [shown, setShown] = useState<Shown>(null);
  useEffect(() => {
    let wanted = true;
    client.call('monitor.modelConfig', { model }).then(
      (config) => {
        if (wanted) setShown(config);
      },
      (error: unknown) => {
        if (wanted) setShown({ error: toWire(error) });
      },
    );
    return () => {
      wanted = false;
    };
  }, [client, model]);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      title={`config.pbtxt of ${model}, as served`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {shown === null ? (
        <Loading label="Loading the configuration" />
      ) : 'error' in shown ? (
        <ErrorPanel error={shown.error} />
      ) : (
        <div className="command">
          <code tabIndex={0}>{shown.text}</code>
          <CopyButton text={shown.text} label="Copy configuration" />
        </div>
      )}
    </Modal>
  );
}
