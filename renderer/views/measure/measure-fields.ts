import { fieldAt } from '../../../main/contract/fields/fields';
import { type Endpoint, endpoints, isOpenai } from '../../../main/contract/load/generation';
import type { ServedModel } from '../../../main/contract/run/measure-request';
import { getAt, type Keys, mergeTrees, type Tree } from '../../../main/contract/trees';
import { serverBase } from '../../../main/domain/run/server-plan';
import type { Field } from '../new-deployment/fields/field';
import { choiceOf, formField, namedField } from '../new-deployment/fields/form-field';

/** Chosen load fields and input shapes, a part of a specification. */
export interface ChosenFields {
  readonly fields: Tree;
}

/** The window measures several levels by default, of which the best is the answer. */
export const fieldDefaults: Tree = mergeTrees(serverBase, { performance: { concurrency: [1, 2, 4, 8] } });

export const valueIn = ({ fields }: ChosenFields, keys: Keys): unknown =>
  getAt(fields, keys) ?? getAt(fieldDefaults, keys);

const ofLoad = (names: readonly string[]): readonly string[] => names.map((name) => `performance.${name}`);

const tensorPaths = ofLoad(['batchSizes', 'concurrency', 'protocol', 'measurementIntervalMs']);
/** Requests are single prompts, over the protocol of the endpoint. */
const promptPaths = ofLoad(['concurrency', 'measurementIntervalMs']);
const generationPaths = (names: readonly string[]): readonly string[] =>
  ofLoad(names.map((name) => `generation.${name}`));

const [endpointPath = ''] = generationPaths(['endpoint']);
export const endpointKeys: Keys = endpointPath.split('.');

/** null: the model is asked with tensors. */
export const endpointIn = ({ fields }: ChosenFields): Endpoint | null =>
  endpoints.find((name) => name === getAt(fields, endpointKeys)) ?? null;

/** The address is that of a server of OpenAI's protocol. */
export function asksFrontend(form: ChosenFields): boolean {
  const endpoint = endpointIn(form);
  return endpoint !== null && isOpenai(endpoint);
}

/** How a language model is asked: prompts of a file, or made ones. */
function askPaths(form: ChosenFields): readonly string[] {
  const at = (name: string) => getAt(form.fields, ['performance', 'generation', name]);
  const made = at('inputTokens') === undefined ? [] : ['inputTokensStddev', 'promptCount', 'prefixTokens'];
  const several = at('prefixTokens') === undefined ? [] : ['prefixCount'];
  return generationPaths([
    ...['promptsFile', 'tokenizerFile', 'inputTokens', ...made, ...several, 'outputTokens'],
    ...(endpointIn(form) === 'generate' ? [] : ['ttftBudgetMs', 'itlBudgetMs']),
  ]);
}

/** Fields of the load that the form has, and a request. */
export const loadPathsOf = (form: ChosenFields): readonly string[] =>
  endpointIn(form) === null ? tensorPaths : [endpointPath, ...askPaths(form), ...promptPaths];

const dimsText = (dims: readonly number[]): string =>
  dims.map((dim) => (dim === -1 ? '?' : String(dim))).join(', ');

/** Prompts have a shape of their own. */
export const shapedInputs = (form: ChosenFields, model: ServedModel | null): ServedModel['dynamicInputs'] =>
  endpointIn(form) === null ? (model?.dynamicInputs ?? []) : [];

function endpointField(context: { readonly value: (...keys: string[]) => unknown }): Field {
  const choice = choiceOf(endpointPath, false);
  if (choice.kind !== 'choice') return formField(endpointPath, context);
  const options = [{ value: '', label: 'Tensors' }, ...choice.options];
  return formField(endpointPath, context, {
    label: 'Requests',
    help: 'Tensors of any model, or the API of a language model, whose tokens are then measured.',
    control: { ...choice, options },
    wide: true,
  });
}

export function measureFields(form: ChosenFields, model: ServedModel | null): readonly Field[] {
  const context = { value: (...keys: string[]) => valueIn(form, keys) };
  const shapes = shapedInputs(form, model).map(({ name, dims }) =>
    namedField('model.shapes.*', name, context, {
      label: `Dimensions of ${name}`,
      help: `Without the batch; the model has ${dimsText(dims)}`,
      control: { kind: 'integers', mayBeEmpty: false },
    }),
  );
  const load = loadPathsOf(form)
    .filter((path) => path !== endpointPath)
    .map((path) => {
      const { serverLabel: label } = fieldAt(path);
      return formField(path, context, label === undefined ? {} : { label });
    });
  return [endpointField(context), ...shapes, ...load];
}
