import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { beyondTitle, errorText } from '../../main/contract/error-text';
import type { WireError } from '../../main/contract/errors';
import { remedyOf } from '../../main/contract/remedy';
import { asSentence } from '../format/words';

/** `withRemedy` false: `children` say what to do. */
export function ErrorPanel(props: { error: WireError; withRemedy?: boolean; children?: ReactNode }) {
  const { error, children } = props;
  const text = errorText[error.code];
  const beyond = beyondTitle(error);
  return (
    <section className="panel column error-panel" role="alert" data-code={error.code}>
      <h2>
        <IconAlertTriangle size={16} aria-hidden="true" />
        {text.title}
      </h2>
      {beyond === '' ? null : <p>{asSentence(beyond)}</p>}
      {error.where === undefined ? null : <p className="dim">Where: {error.where}</p>}
      {props.withRemedy === false ? null : <p>{remedyOf(error)}</p>}
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
