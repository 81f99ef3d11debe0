import { type Json, LOG_LEVELS, type LogLevel, type TaskLogLine, type TaskLogPage } from '@evenkeel/sdk/contract';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class TaskLogLineDto implements TaskLogLine {
  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  attempt: number;
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Counts the lines of the attempt; gaps are lines its worker lost.' })
  seq: number;
  @ApiProperty({ format: 'date-time', example: '2026-01-01T00:00:00.000Z', description: "By the worker's clock." })
  at: string;
  @ApiProperty({ enum: LOG_LEVELS })
  level: LogLevel;
  @ApiProperty({ example: 'page 3 of 7 printed' })
  message: string;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { page: 3 } })
  fields?: { [name: string]: Json };
}

export class TaskLogPageDto implements TaskLogPage {
  @ApiProperty({ type: [TaskLogLineDto] })
  items: TaskLogLineDto[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Pass it as `cursor` for the lines that follow; null once the task has ended and all of them were read.',
  })
  nextCursor: string | null;
}
