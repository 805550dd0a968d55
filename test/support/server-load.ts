import type { ServerLoad } from '../../main/contract/run/server-load';
import { specFixture } from './run-state';

/** Two concurrencies of one model over gRPC, on this machine. */
export const serverLoadFixture = (change: Partial<ServerLoad> = {}): ServerLoad => ({
  addresses: {
    http: 'localhost:8000',
    grpc: 'localhost:8001',
    httpTls: null,
    grpcTls: null,
    metrics: { address: 'localhost:8002', path: '/metrics' },
  },
  protocol: 'grpc',
  models: [{ name: 'bert', weight: 1 }],
  modelVersion: '',
  sources: [],
  shapes: {},
  settings: specFixture().performance,
  inTurns: false,
  byIntervals: false,
  levels: [1, 2].map((concurrency) => ({ batchSize: 1, concurrency })),
  repeats: 1,
  tools: ['native'],
  search: null,
  ...change,
});
