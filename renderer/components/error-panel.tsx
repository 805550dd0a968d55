import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { errorText } from '../../main/contract/error-text';
import type { WireError } from '../../main/contract/errors';

/** What happened, why, what to do; evidence folded away. */
export function ErrorPanel({ error, children }: { error: WireError; children?: ReactNode }) {
  const text = errorText[error.code];
  return (
    <section className="panel error-panel" role="alert" data-code={error.code}>
      <h2>
        <IconAlertTriangle size={16} aria-hidden="true" />
        {text.title}
      </h2>
      <p>{error.message}</p>
      {error.where === undefined ? null : <p className="dim">Where: {error.where}</p>}
      <p>{error.remedy ?? text.remedy}</p>
      {error.details === undefined || error.details === '' ? null : (
        <details>
          <summary>Details</summary>
          <pre tabIndex={0}>{error.details}</pre>
        </details>
      )}
      {children}
    </section>
  );
}
