import { Button, Modal } from '@mantine/core';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { ErrorPanel } from '../../components/error-panel';
import { useAnswer } from '../../use-answer';
import { useWorkbench } from '../../workbench';
import { changelog } from './article';
import { MarkdownView } from './markdown-view';
import { newsSince, releaseOf } from './news';

const noPages: ReadonlySet<string> = new Set();

function News({ since }: { since: string | null }) {
  const { value, error } = useAnswer((one) => one.call('support.documents'));
  if (error !== null) return <ErrorPanel error={error} />;
  if (value === null) return <p className="dim">Loading…</p>;
  const text = value.find(({ id }) => id === changelog.page)?.text ?? '';
  return <MarkdownView text={newsSince(text, since)} at={changelog} known={noPages} open={() => undefined} />;
}

/** Opens by itself once after the version changed; a first start has nothing to compare with. */
export function WhatsNew() {
  const { app, overlay, seenVersion } = useWorkbench();
  const { shown, show, close } = useStore(overlay);
  const version = useStore(app, ({ value }) => (value === null ? null : releaseOf(value.version)));
  useEffect(() => {
    if (version === null) return;
    seenVersion.note(version);
    const { before } = seenVersion;
    if (before === null || before === version) return;
    if (overlay.getState().shown === null) show('whats-new');
  }, [version, seenVersion, overlay, show]);
  return (
    <Modal
      opened={shown === 'whats-new'}
      onClose={close}
      size={760}
      className="whats-new"
      title={version === null ? 'What’s new' : `What’s new in ${version}`}
    >
      <News since={seenVersion.before} />
      <div className="buttons">
        <Button onClick={close}>Close</Button>
      </div>
    </Modal>
  );
}
