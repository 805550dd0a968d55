import { Fragment } from 'react';
import { fieldAt } from '../../../../main/contract/fields/fields';
import type { Keys } from '../../../../main/contract/trees';
import type { Cards, Field, Option } from '../fields/field';
import { useFieldForm } from './field-form';
import { type ControlProps, FieldFrame } from './field-frame';

function reasons(options: readonly Option[]): readonly { readonly why: string; readonly labels: string[] }[] {
  const found = new Map<string, string[]>();
  for (const { why, label } of options) {
    if (why !== undefined) found.set(why, [...(found.get(why) ?? []), label]);
  }
  return [...found].map(([why, labels]) => ({ why, labels }));
}

function OptionRadio(props: {
  option: Option;
  name: string;
  checked: boolean;
  disabled: boolean;
  card: boolean;
  sharedWhyId: string | undefined;
  onChoose: () => void;
}) {
  const { option, name, checked } = props;
  const disabled = props.disabled || option.why !== undefined;
  const shared = option.why === undefined ? undefined : props.sharedWhyId;
  const noteId = shared ?? `${name}-${option.value}-note`;
  const own = shared === undefined ? option.why : undefined;
  const note = own ?? option.note;
  return (
    <label
      className={props.card ? 'option card' : 'option'}
      data-checked={checked}
      data-disabled={disabled}
      title={props.card ? undefined : option.why}
    >
      <input
        type="radio"
        name={name}
        value={option.value}
        checked={checked}
        disabled={disabled && !checked}
        aria-label={option.label}
        aria-describedby={(option.why ?? note) === undefined ? undefined : noteId}
        onChange={props.onChoose}
      />
      <span className="option-text">
        <span className="option-label">{option.label}</span>
        {props.card && note !== undefined ? (
          <span
            {...(shared === undefined ? { id: noteId } : {})}
            className={own === undefined ? 'option-note' : 'option-note why'}
          >
            {note}
          </span>
        ) : null}
      </span>
    </label>
  );
}

/** "TensorRT plan, FP32; TensorRT plan, FP16": names that have commas need another sign between them. */
const listed = (names: readonly string[]): string =>
  names.join(names.some((name) => name.includes(',')) ? '; ' : ', ');

/** What cannot be chosen, in one line with its reason; several reasons unfold. */
function Others({ options }: { options: readonly Option[] }) {
  if (options.length === 0) return null;
  const [first, ...more] = reasons(options);
  const names = listed(options.map(({ label }) => label));
  const line = `Other (${options.length}): ${names}`;
  if (first === undefined || more.length === 0) {
    return (
      <p className="field-help">
        {line}. {first?.why}
      </p>
    );
  }
  return (
    <details className="field-help">
      <summary>{line}</summary>
      <dl className="facts other-options">
        {[first, ...more].map(({ labels, why }) => (
          <Fragment key={why}>
            <dt>{listed(labels)}</dt>
            <dd>{why}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}

interface Chosen {
  options: readonly Option[];
  cards: Cards;
  value: unknown;
  onChoose: (value: string) => void;
}

function OptionGroup({ labelId, input, options: all, cards, value, onChoose }: ControlProps & Chosen) {
  const { id, error, description } = input;
  // A card that cannot be chosen takes the room of one that can.
  const isOther = (option: Option): boolean =>
    cards !== false && option.why !== undefined && option.value !== value;
  const options = all.filter((option) => !isOther(option));
  const helpId = `${id}-help`;
  // A card shows its own reason; a shared one, and those of a line, are below.
  const shared = reasons(options).filter(({ labels }) => cards === false || labels.length > 1);
  const idOf = (why: string): string => `${id}-why-${shared.findIndex((known) => known.why === why)}`;
  return (
    <>
      <div
        id={id}
        tabIndex={-1}
        role="radiogroup"
        aria-labelledby={labelId}
        aria-describedby={helpId}
        className={
          cards === false
            ? 'options segments'
            : `options cards-of-options ${cards}${options.length === 4 ? ' four' : ''}`
        }
        data-invalid={error !== undefined}
      >
        {options.map((option) => (
          <OptionRadio
            key={option.value}
            option={option}
            name={id}
            checked={option.value === value}
            disabled={input.disabled}
            card={cards !== false}
            sharedWhyId={shared.some(({ why }) => why === option.why) ? idOf(option.why ?? '') : undefined}
            onChoose={() => onChoose(option.value)}
          />
        ))}
      </div>
      <div id={helpId}>
        {error === undefined ? null : <p className="field-error">{error}</p>}
        {description === undefined ? null : <p className="field-help">{description}</p>}
        {shared.map(({ labels, why }) => (
          <p key={why} id={idOf(why)} className="field-help">
            {labels.join(labels.some((label) => label.includes(',')) ? '; ' : ', ')}: {why}
          </p>
        ))}
        <Others options={all.filter(isOther)} />
      </div>
    </>
  );
}

export function ChoiceField(
  props: Chosen & Pick<Field, 'keys' | 'label' | 'help'> & { also?: readonly Keys[] },
) {
  const { keys, also, label, help, options, cards } = props;
  const { term } = fieldAt(keys.join('.'));
  return (
    <FieldFrame
      field={{ keys, label, term, help, control: { kind: 'choice', cards, options } }}
      also={also}
      control={(frame) => <OptionGroup {...frame} {...props} />}
    />
  );
}

export function ChoiceControl(props: ControlProps & Pick<Chosen, 'options' | 'cards'>) {
  const { keys } = props.field;
  const { valueAt, change, reset } = useFieldForm();
  const choose = (option: string): void => {
    if (option === '') reset(keys);
    else change(keys, option);
  };
  return <OptionGroup {...props} value={valueAt(keys) ?? ''} onChoose={choose} />;
}
