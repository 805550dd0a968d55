import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { DataItem, DataSource, DataWork } from '../../../../main/contract/data-source';
import { formatBytes } from '../../../../main/contract/numbers';
import { present } from '../../../../main/contract/trees';
import { CopyButton } from '../../../components/copy-button';
import { ErrorPanel } from '../../../components/error-panel';
import { attempting } from '../../../components/notices';
import { Panel } from '../../../components/panel';
import { workKey } from '../../../stores/draft/data-sources';
import { useWorkbench } from '../../../workbench';
import { useWizard } from '../wizard-context';

const kindText = { dataset: 'Data set', checkpoint: 'Checkpoint' } as const;

function factsOf({ bytes, licence, checksum }: DataSource, partBytes: number): string {
  const size = bytes === null ? 'size unknown' : formatBytes(bytes);
  const part = partBytes > 0 ? `, ${formatBytes(partBytes)} downloaded` : '';
  const unverified = checksum === null ? '; no published checksum, so the content is not verified' : '';
  return `${size}${part}; license: ${licence ?? 'unknown, see its page'}${unverified}`;
}

/** To copy: the window opens no web pages. */
function Copied({ text, label }: { text: string; label: string }) {
  return (
    <span className="source-link">
      <code className="cut" title={text}>
        {text}
      </code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

function Steps({ source }: { source: Extract<DataSource, { allowed: 'by-hand' }> }) {
  return (
    <details>
      <summary className="dim">How to download {source.title} by hand</summary>
      <ol className="source-steps">
        {source.steps.map(({ text, copy }, index) => (
          <li key={text}>
            {text}
            {copy === undefined ? null : <Copied text={copy} label={`Copy the text of step ${index + 1}`} />}
          </li>
        ))}
      </ol>
    </details>
  );
}

function SourceButton({ item, work }: { item: DataItem; work: DataWork | undefined }) {
  const { dataSources } = useWorkbench();
  const { valueAt } = useWizard();
  const { fetch, cancel, use } = useStore(dataSources);
  const { source, path } = item;
  const named = (verb: string) => ({ children: verb, 'aria-label': `${verb}: ${source.title}` });
  const common = { size: 'compact-xs', variant: 'default' } as const;
  if (work?.status === 'running') {
    return <Button {...common} {...named('Cancel')} onClick={attempting(() => cancel(work))} />;
  }
  if (path !== null) {
    const inUse = valueAt(['model', item.kind]) === path;
    return (
      <Button
        {...common}
        {...named(inUse ? 'In use' : 'Use')}
        disabled={inUse}
        onClick={() => use(item, path)}
      />
    );
  }
  if (source.allowed === 'by-hand') return null;
  return (
    <Button
      {...common}
      {...named(item.partBytes > 0 ? 'Resume' : 'Download')}
      onClick={attempting(() => fetch(item))}
    />
  );
}

function Source({ item, work }: { item: DataItem; work: DataWork | undefined }) {
  const { source } = item;
  const running = work?.status === 'running';
  return (
    <li className="work" data-source={source.id}>
      <div className="work-head">
        <strong className="cut" title={source.title}>
          {source.title}
        </strong>
        <span className="dim work-text cut">{running ? work.text : kindText[item.kind]}</span>
        <SourceButton item={item} work={work} />
      </div>
      {running ? (
        <progress
          className="bar"
          max={1}
          aria-label={`Downloading ${work.title}`}
          {...present({ value: work.fraction })}
        />
      ) : null}
      {/* Announced when it ends, not with every byte count. */}
      <span role="status" className="field-help">
        {work === undefined || running ? '' : `${work.title}: ${work.text}`}
      </span>
      <div className="field-help">{factsOf(source, running ? 0 : item.partBytes)}</div>
      <Copied text={source.page} label={`Copy the address of the page of ${source.title}`} />
      {source.note === undefined ? null : <p className="field-help">{source.note}</p>}
      {source.allowed === 'by-hand' ? <Steps source={source} /> : null}
      {work?.status === 'failed' && work.error !== null ? <ErrorPanel error={work.error} /> : null}
    </li>
  );
}

export function DataSourcesPanel() {
  const { dataSources } = useWorkbench();
  const { preset: chosen, valueAt } = useWizard();
  const { preset, items, works, error, load } = useStore(dataSources);
  const { origin, id } = chosen;
  const named = (origin.datasets?.length ?? 0) + (origin.checkpoints?.length ?? 0) > 0;
  // The core fetches only for its own presets.
  const names = named && valueAt(['model', 'source']) === undefined;
  useEffect(() => {
    if (names) void load(id);
  }, [names, id, load]);
  if (!names || preset !== id) return null;
  return (
    <Panel title="Published data and weights" level={3} note="for the fields above">
      {error === null ? null : <ErrorPanel error={error} />}
      <ul>
        {items.map((item) => (
          <Source
            key={`${item.kind} ${item.source.id}`}
            item={item}
            work={works[workKey(preset, item.source.id)]}
          />
        ))}
      </ul>
    </Panel>
  );
}
