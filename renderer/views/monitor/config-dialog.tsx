import { Modal } from '@mantine/core';
import { CopyButton } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { useAnswer } from '../../use-answer';

/** The configuration of a model as it is in force. */
export function ConfigDialog({ model, onClose }: { model: string; onClose: () => void }) {
  const { value, error } = useAnswer((client) => client.call('monitor.modelConfig', { model }), model);
  return (
    <Modal opened onClose={onClose} size="lg" title={`config.pbtxt of ${model}, as served`}>
      {error !== null ? (
        <ErrorPanel error={error} />
      ) : value === null ? (
        <Loading label="Loading the configuration" />
      ) : (
        <div className="command">
          <code tabIndex={0}>{value.text}</code>
          <CopyButton text={value.text} label="Copy configuration" />
        </div>
      )}
    </Modal>
  );
}
