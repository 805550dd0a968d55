import { useEffect, useRef } from 'react';
import { useWizard } from '../wizard-context';
import { EnginePart } from './engine-part';
import { LoadPart } from './load-part';
import { ModelPart } from './model-part';

/** The main fields of a deployment on one page; its heading takes the focus. */
export function SimpleForm() {
  const { changes } = useWizard();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return (
    <div className="wizard-form" role="region" aria-label="Deployment" tabIndex={0}>
      <header className="wizard-heading">
        <h2 ref={heading} tabIndex={-1}>
          Deployment
        </h2>
        <p className="dim">
          The main settings.{' '}
          {changes.length === 0
            ? 'Everything else has the preset’s defaults.'
            : 'The summary lists everything that differs from the preset’s defaults.'}
        </p>
      </header>
      <ModelPart />
      <EnginePart />
      <LoadPart />
    </div>
  );
}
