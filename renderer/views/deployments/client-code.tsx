import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { DeploymentInfo } from '../../../main/contract/deployment/deployment';
import { type Snippet, snippetsOf } from '../../../main/domain/deployment-snippets';
import { CopyButton } from '../../components/copy-button';

const kinds: readonly { readonly value: Snippet['id']; readonly label: string }[] = [
  { value: 'python', label: 'Python' },
  { value: 'curl', label: 'curl' },
  { value: 'perf_analyzer', label: 'perf_analyzer' },
];

export function ClientCode({ deployment }: { deployment: DeploymentInfo }) {
  const [kind, setKind] = useState<Snippet['id']>('python');
  const { id, models } = deployment;
  return (
    <details className="deployment-code">
      <summary>Client code</summary>
      <SegmentedControl
        size="xs"
        aria-label={`Client of ${id}`}
        data={[...kinds]}
        value={kind}
        onChange={(next) => setKind(next)}
      />
      {models.map((model) => {
        const snippet = snippetsOf(deployment, model).find((one) => one.id === kind);
        if (snippet === undefined) return null;
        return (
          <figure key={model.name} className="deployment-snippet">
            <figcaption className="row dim">
              {model.name}: {snippet.title}
              <CopyButton text={snippet.text} label={`Copy ${snippet.title} of ${model.name}`} />
            </figcaption>
            <pre tabIndex={0}>{snippet.text}</pre>
          </figure>
        );
      })}
    </details>
  );
}
