import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { listOf, parseJson } from '../platform/parse-json';
import { errorTextOf, type HttpRequest, requestTriton } from './http';

const modelsSchema = z.object({ data: listOf(z.object({ id: z.string().min(1).max(256) })) });

/** Names of the models that a server of OpenAI's protocol lists. Throws server-unreachable. */
export async function listOpenaiModels(
  address: string,
  how: Pick<HttpRequest, 'timeoutMs' | 'headers' | 'tls'>,
): Promise<readonly string[]> {
  const response = await requestTriton(address, { method: 'GET', path: '/v1/models', ...how });
  const refused = (message: string) =>
    new WorkbenchError(
      'server-unreachable',
      `No server of OpenAI’s protocol answers at ${address}: ${message}`,
      {
        where: address,
        remedy: 'Give the address of the frontend, whose models are listed at /v1/models.',
      },
    );
  if (response.status !== 200) throw refused(errorTextOf(response).slice(0, 200));
  try {
    return modelsSchema.parse(parseJson(response.body.toString('utf8'))).data.map(({ id }) => id);
  } catch {
    throw refused('its list of models is not of that form');
  }
}
