import type { WinnerConfigs } from '../../../../main/contract/study/study';
import { type DiffLine, diffLines, diffText } from '../../../../main/domain/line-diff';
import { CopyButton } from '../../../components/copy-button';
import { Panel } from '../../../components/panel';

function Line({ line }: { line: DiffLine }) {
  const text = `${diffText(line)}\n`;
  if (line.kind === 'added') return <ins>{text}</ins>;
  return line.kind === 'removed' ? <del>{text}</del> : text;
}

/** How the config.pbtxt of the best configuration differs from the present one. `of`: a model of several. */
export function ConfigChanges({ configs, of = '' }: { configs: WinnerConfigs; of?: string }) {
  const lines = diffLines(configs.present, configs.winner);
  if (lines.length === 0) return null;
  return (
    <Panel
      title={`Changes of config.pbtxt${of === '' ? '' : `: ${of}`}`}
      level={3}
      head={<CopyButton label="Copy changes" text={lines.map(diffText).join('\n')} />}
    >
      <pre className="panel-body config-changes" tabIndex={0}>
        {lines.map((line, at) => (
          <Line key={at} line={line} />
        ))}
      </pre>
    </Panel>
  );
}
