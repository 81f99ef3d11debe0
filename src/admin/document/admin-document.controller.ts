import { Controller, Get } from '@nestjs/common';
import { For, Needs, SIGNED_IN } from '../../platform/audience.js';
import { AdminDocumentService } from './admin-document.service.js';

@For('console')
@Controller('api/openapi.json')
export class AdminDocumentController {
  constructor(private readonly documents: AdminDocumentService) {}

  @Get()
  @Needs(SIGNED_IN)
  document() {
    return this.documents.document();
  }
}
