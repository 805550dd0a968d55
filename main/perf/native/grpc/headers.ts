import type { TlsMaterial } from '../../../triton/tls';
import type { HeaderBlocks } from '../http2/hpack/encoder';
import { encodeHeaderBlocks } from '../http2/hpack/encoder';

/** `host:port` as HTTP names it, with brackets around an IPv6 address. */
export function authorityOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The header fields of every call of one method of Triton's gRPC service. */
export function grpcHeaders(
  target: { readonly host: string; readonly port: number; readonly tls: TlsMaterial | null },
  method: 'ModelInfer' | 'ModelStreamInfer',
): HeaderBlocks {
  return encodeHeaderBlocks([
    [':method', 'POST'],
    [':scheme', target.tls === null ? 'http' : 'https'],
    [':path', `/inference.GRPCInferenceService/${method}`],
    [':authority', authorityOf(target)],
    ['te', 'trailers'],
    ['content-type', 'application/grpc'],
    ['user-agent', 'triton-workbench'],
  ]);
}
