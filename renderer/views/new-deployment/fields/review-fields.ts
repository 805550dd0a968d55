import { stepIds } from '../../../../main/contract/run/run-events';
import { stepTitle } from '../../../../main/contract/words';
import type { FieldContext, Section } from './field';
import { namedField } from './form-field';

/** How long each step may take. */
export function reviewSections(context: FieldContext): readonly Section[] {
  const steps = stepIds.filter((id) => id !== 'images' || context.value('engine', 'kind') === 'docker');
  return [
    {
      title: 'Deadlines',
      folded: true,
      note: 'A step that takes longer is ended and the run fails there. Empty: the step’s default.',
      fields: steps.map((step) =>
        namedField('deadlines.*', step, context, {
          label: stepTitle[step],
          term: `deadlines.${step}`,
          help: '',
          control: { kind: 'integer', min: 1, suffix: ' s', placeholder: 'the step’s default' },
        }),
      ),
    },
  ];
}
