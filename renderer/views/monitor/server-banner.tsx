import { type MonitorSample, type MonitorState, watchedName } from '../../../main/contract/monitor/monitor';
import { Status } from '../../components/status-text';
import { formatClock } from '../../format/times';
import { serverLook, serverSentence, speedText } from './monitor-text';

function sourceText({ source }: MonitorState): string {
  if (source === null) return '';
  if (source.kind === 'live') return watchedName(source);
  const lost = source.damaged === 0 ? '' : `, ${source.damaged} damaged lines skipped`;
  return `Recording ${source.file}, ${speedText(source.speed)}${source.done ? ', finished' : ''}${lost}`;
}

/** What is watched and its state; a second without figures says why. */
export function ServerBanner(props: { state: MonitorState; sample: MonitorSample; pausedMs: number | null }) {
  const { state, sample, pausedMs } = props;
  const { server, hole } = sample;
  const { icon, tone, text } = serverLook(server);
  return (
    <section className="panel monitor-banner" aria-label="Server" data-server={server.state}>
      <Status icon={icon} tone={tone} data-state={server.state}>
        {text}
      </Status>
      <strong className="cut">{sourceText(state)}</strong>
      <span className="dim cut" title={serverSentence(sample)}>
        {serverSentence(sample)}
      </span>
      <span className="monitor-banner-end">
        {hole !== null && server.state !== 'gone' ? (
          <span className="tone-warn">no figures: {hole}</span>
        ) : null}
        {state.recording === null ? null : state.recording.problem === null ? (
          <span className="tone-bad">● recording</span>
        ) : (
          <span className="tone-bad">not recorded: {state.recording.problem}</span>
        )}
        {pausedMs === null ? null : (
          <span className="tone-warn">charts paused at {formatClock(new Date(pausedMs).toISOString())}</span>
        )}
        <span className="dim number">{formatClock(new Date(sample.atMs).toISOString())}</span>
      </span>
    </section>
  );
}
