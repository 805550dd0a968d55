import { parseRemoteUrl, shownAddress, type TlsFiles, withScheme } from '../../contract/address';
import { invalidInput } from '../../contract/errors';
import type { Protocol } from '../../contract/run/run-spec';
import type { ServerLoad } from '../../contract/run/server-load';

/** The protocol that an address names; null without one. */
export function namedProtocol(address: string): Protocol | null {
  const [, scheme] = /^\s*(grpc|http)s?:\/\//i.exec(address) ?? [];
  if (scheme === undefined) return null;
  return scheme.toLowerCase() === 'grpc' ? 'grpc' : 'http';
}

/** The address of a gateway for the measured protocol. Throws input-invalid. @param tls applies to https and grpcs */
export function gatewayOf(
  text: string,
  protocol: Protocol,
  tls: TlsFiles = {},
): NonNullable<ServerLoad['via']> {
  const named = namedProtocol(text);
  if (named !== null && named !== protocol) {
    throw invalidInput(
      'via',
      `${shownAddress(text)} names another protocol than ${protocol}, which is measured`,
      `Give the address of the gateway for ${protocol}.`,
    );
  }
  const { http, secure } = parseRemoteUrl(withScheme(text.trim().replace(/^grpc(s?):/i, 'http$1:')));
  return { address: http, tls: secure ? tls : null };
}
