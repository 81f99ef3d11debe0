import { QueryFailedError } from 'typeorm';

export interface DriverError {
  code?: string;
  errno?: number;
  message: string;
  fatal?: boolean;
}

/** The database driver's own error, whether or not TypeORM wrapped it. */
export function driverError(error: unknown): DriverError | undefined {
  const inner = error instanceof QueryFailedError ? error.driverError : error;
  return typeof inner === 'object' && inner !== null && 'message' in inner ? (inner as DriverError) : undefined;
}
