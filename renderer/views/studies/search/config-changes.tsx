import type { WinnerConfigs } from '../../../../main/contract/study/study';
import { diffLines, diffText } from '../../../../main/domain/line-diff';
import { DiffText } from '../../../components/code/diff-text';
import { CopyButton } from '../../../components/copy-button';
import { Panel } from '../../../components/panel';

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
      <DiffText lines={lines.map((line) => ({ kind: line.kind, text: diffText(line) }))} />
    </Panel>
  );
}
