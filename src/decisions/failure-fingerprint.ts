const LENGTH = 200;
/** Ids, hexadecimal numbers and numbers: what differs between failures of one cause. */
const VARYING =
  /\b(?:[a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]+|[0-9a-f]*\d[0-9a-f]{7,}|\d+(?:\.\d+)*)\b/gi;

/** What failures of one cause have in common: the first line of the message without ids and numbers, which stand as `#`. Pure. */
export const failureFingerprint = (message: string): string =>
  message.trim().split('\n', 1)[0]?.slice(0, 2_000).replace(VARYING, '#').slice(0, LENGTH) ?? '';
