import { api, type CallName, type Handlers, type WireAnswer } from '../main/contract/api';
import { toWireText } from '../main/contract/calls/wire-text';
import { invalidInput, toWire, WorkbenchError } from '../main/contract/errors';

const isCallName = (name: unknown): name is CallName => typeof name === 'string' && Object.hasOwn(api, name);

async function handled(handlers: Handlers, name: unknown, input: unknown): Promise<WireAnswer> {
  if (!isCallName(name)) throw new WorkbenchError('input-invalid', 'There is no such call');
  const parsed = api[name].input.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalidInput(issue?.path.join('.'), `${name}: ${issue?.message ?? 'not valid'}`);
  }
  // The name picks schema and handler alike, so the parsed value fits; the compiler cannot follow that link.
  const handler = handlers[name] as (value: unknown) => Promise<unknown>;
  const value = await handler(parsed.data);
  const { asText = false }: { readonly asText?: boolean } = api[name];
  return asText ? { ok: true, text: toWireText(value) } : { ok: true, value };
}

/** Never rejects: an error is part of the answer. */
export async function answerCall(
  handlers: Promise<Handlers>,
  name: unknown,
  input: unknown,
): Promise<WireAnswer> {
  try {
    return await handled(await handlers, name, input);
  } catch (error) {
    return { ok: false, error: toWire(error) };
  }
}
