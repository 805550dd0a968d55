import { Button, Modal } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { noticeSaved } from '../../components/action-message';
import { ErrorPanel } from '../../components/error-panel';
import { attempting, noticeDone } from '../../components/notices';
import { Facts } from '../../components/table';
import { useAnswer } from '../../use-answer';
import { useWorkbench } from '../../workbench';
import { useFocusBack } from './use-focus-back';

function Report({ onClose }: { onClose: () => void }) {
  const { client } = useWorkbench();
  const clipboard = useClipboard();
  const { value, error } = useAnswer((one) => one.call('support.report'));
  if (error !== null) return <ErrorPanel error={error} />;
  if (value === null)
    return <p role="status">Collecting versions, machine, settings and the end of the log…</p>;
  const { text } = value;
  return (
    <div className="stack">
      <p>
        Review the text before you send it. User name, host name, folders of your account, credentials,
        tokens, header values and e-mail addresses are replaced. Nothing is sent from here.
      </p>
      <pre className="report-text" tabIndex={0} role="region" aria-label="Problem report">
        {text}
      </pre>
      <div className="buttons">
        <Button
          variant="default"
          onClick={attempting(async () => {
            noticeSaved(
              client,
              await client.call('desktop.saveText', { fileName: 'problem-report.md', text }),
            );
          })}
        >
          Save…
        </Button>
        <Button
          data-autofocus
          onClick={() => {
            clipboard.copy(text);
            noticeDone('Report copied', 'Paste it into your problem report.');
            onClose();
          }}
        >
          Copy report
        </Button>
      </div>
    </div>
  );
}

function About() {
  const { app, overlay } = useWorkbench();
  const info = useStore(app, (state) => state.value);
  return (
    <div className="stack">
      <p>Deploys models on NVIDIA Triton Inference Server and measures them.</p>
      <Facts
        facts={[
          ['Version', info?.version ?? '…'],
          ['Electron', info?.electron ?? 'none'],
          ['License', 'Apache License 2.0'],
          ['Workbench home', info?.home ?? '…'],
        ]}
      />
      <div className="buttons">
        <Button variant="default" onClick={() => overlay.getState().show('licenses')}>
          Licenses
        </Button>
        <Button variant="default" onClick={() => overlay.getState().show('whats-new')}>
          What’s new
        </Button>
      </div>
      <p className="dim">
        The files LICENSE, NOTICE and THIRD-PARTY-NOTICES.txt of the package have the licenses of the software
        in it, and sbom.cdx.json lists it (CycloneDX). NVIDIA and Triton are trademarks of NVIDIA Corporation;
        this program is not made or endorsed by NVIDIA.
      </p>
    </div>
  );
}

const titles = {
  report: 'Report a problem',
  about: 'About Triton Workbench',
} as const;

export function HelpDialogs() {
  const { overlay } = useWorkbench();
  const { shown, close } = useStore(overlay);
  const help = shown !== null && shown in titles ? (shown as keyof typeof titles) : null;
  useFocusBack(help !== null);
  const content: Readonly<Record<keyof typeof titles, () => ReactNode>> = {
    report: () => <Report onClose={close} />,
    about: () => <About />,
  };
  return (
    <Modal
      opened={help !== null}
      onClose={close}
      returnFocus={false}
      size={help === 'about' ? 520 : 960}
      title={help === null ? '' : titles[help]}
    >
      {help === null ? null : content[help]()}
    </Modal>
  );
}
