/** Sizes and counts both sides of the wire agree on. Bytes unless the name says otherwise. */
export const LIMITS = {
  nameLength: 128,
  handlerLength: 255,
  groupKeyLength: 64,
  workerIdLength: 64,
  clientRequestIdLength: 64,
  paramsBytes: 64 * 1024,
  resultBytes: 256 * 1024,
  /** One request between centre and worker; longer lists are split. */
  channelRequestBytes: 512 * 1024,
  /** The largest body either side of the worker channel reads at all. */
  channelBodyBytes: 1024 * 1024,
  /** Levels of any JSON body the centre reads; and of a result, a checkpoint or the fields of a log line, which travel three deep. */
  jsonDepth: 32,
  carriedJsonDepth: 29,
  partnerBodyBytes: 256 * 1024,
  partnerBatchBytes: 4 * 1024 * 1024,
  batchItems: 500,
  dependsOn: 100,
  eventPayloadBytes: 32 * 1024,
  /** Shards of one task. */
  shardsMin: 2,
  shardsMax: 1_000,
  /** Shards a parent's result lists, and the longest result it repeats of each. */
  shardsListed: 100,
  shardResultBytes: 2 * 1024,
  metadataPairs: 16,
  metadataKeyLength: 64,
  metadataValueLength: 512,
  checkpointBytes: 64 * 1024,
  /** Text of one log line, longer ones are cut; and everything one attempt may log. */
  logMessageBytes: 16 * 1024,
  attemptLogBytes: 1024 * 1024,
  routingKeyLength: 128,
  workerTags: 4,
  errorMessageLength: 4096,
  errorStackLength: 16 * 1024,
  maxDelayMs: 366 * 24 * 3600 * 1000,
  maxTimeoutMs: 30 * 24 * 3600 * 1000,
  /** No partition has ever had as many holders; a later epoch than this is none. */
  epoch: 1_000_000_000,
  waitSeconds: 30,
  listPage: 200,
} as const;
