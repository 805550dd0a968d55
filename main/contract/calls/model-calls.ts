import { hubAskSchema, hubFetchSchema, type HubModel } from '../own/hub';
import { checkRequestSchema, type RepositoryCheck } from '../repository-check';
import { type OpenedModel, openModelSchema, pipelineRequestSchema, trustModelSchema } from '../run/own-model';
import { call } from './call';

/** Models of the user's, and repositories of them. */
export const modelsApi = {
  /** What Triton would refuse in model repositories, without a server and without executing anything. Throws input-invalid. */
  'models.check': call<RepositoryCheck>().with(checkRequestSchema),
  /** Reads a model of the user's; nothing of it is executed before it is trusted. */
  'models.open': call<OpenedModel>().with(openModelSchema),
  /** What of a model of the Hugging Face hub a run would take, and how much of it is still to come; no weight is downloaded. Throws input-invalid, download-failed, model-folder-invalid. */
  'models.hub': call<HubModel>().with(hubAskSchema),
  /** Downloads it into the cache of the hub; the work is among `data.works`. */
  'models.fetch': call<{ readonly workId: string }>().with(hubFetchSchema),
  /**
   * Writes a Hugging Face folder as a pipeline, unless that is there, and opens it with its reference and its load. null:
   * it was cancelled; the work is among `data.works`. Throws as `models.open`, combination-unsupported, disk-full,
   * toolchain-missing, input-invalid for samples that do not fit.
   */
  'models.asPipeline': call<OpenedModel | null>().with(pipelineRequestSchema),
  /** Trusts the content as it is now, and opens it again. The window asks in its own dialog first. */
  'models.trust': call<OpenedModel>().with(trustModelSchema),
} as const;
