import { IconCircleCheck, IconCircleMinus, IconCircleX, IconLoader2 } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { ImageWork } from '../../../main/contract/docker';
import { CompactButton } from '../../components/actions';
import { ErrorPanel } from '../../components/error-panel';
import { ProgressBar } from '../../components/loading';
import { attempt } from '../../components/notices';
import { Status, type StatusStyle } from '../../components/status-text';
import { useWorkbench } from '../../workbench';

const styles: Readonly<Record<ImageWork['status'], StatusStyle & { pull: string; build: string }>> = {
  running: { icon: IconLoader2, tone: 'info', pull: 'Pulling', build: 'Building' },
  done: { icon: IconCircleCheck, tone: 'good', pull: 'Pulled', build: 'Built' },
  failed: { icon: IconCircleX, tone: 'bad', pull: 'Pull failed', build: 'Build failed' },
  cancelled: { icon: IconCircleMinus, tone: 'dim', pull: 'Pull cancelled', build: 'Build cancelled' },
};

function Work({ work }: { work: ImageWork }) {
  const { client, imageWorks } = useWorkbench();
  const { pull, build, ...style } = styles[work.status];
  const word = work.kind === 'pull' ? pull : build;
  const running = work.status === 'running';
  return (
    <li className="work" data-work={work.id}>
      <div className="work-head">
        <Status {...style} text={word} />
        <span className="cut" title={work.image}>
          {work.image}
        </span>
        <span className="dim work-text cut" title={work.text}>
          {work.text}
        </span>
        <CompactButton
          aria-label={`${running ? 'Cancel' : 'Dismiss'}: ${word} ${work.image}`}
          onClick={() => {
            if (running) {
              attempt(() => client.call('docker.cancelImageWork', { workId: work.id }));
            } else {
              imageWorks.getState().dismiss(work.id);
            }
          }}
        >
          {running ? 'Cancel' : 'Dismiss'}
        </CompactButton>
      </div>
      {running ? <ProgressBar label={`${word} ${work.image}`} fraction={work.fraction} /> : null}
      {work.error === null ? null : <ErrorPanel error={work.error} />}
      {work.lines.length === 0 ? null : (
        <details open={work.status === 'failed'}>
          <summary className="dim">{work.status === 'failed' ? 'Last lines' : 'Output'}</summary>
          <pre className="work-lines" tabIndex={0}>
            {work.lines.join('\n')}
          </pre>
        </details>
      )}
    </li>
  );
}

export function WorkList() {
  const { imageWorks } = useWorkbench();
  const works = useStore(imageWorks, (state) => state.works);
  if (works.length === 0) return null;
  return (
    <section className="panel" aria-label="Pulls and builds">
      <ul>
        {works.map((work) => (
          <Work key={work.id} work={work} />
        ))}
      </ul>
    </section>
  );
}
