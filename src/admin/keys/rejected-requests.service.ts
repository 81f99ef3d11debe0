import { Injectable } from '@nestjs/common';
import { AccessKeysService } from '../../auth/access-keys.service.js';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { permissionDenied } from '../../auth/console-caller.js';
import type { RejectedRequest as Rejected } from '../../auth/rejected-request.store.js';
import { RejectedRequests } from '../../auth/rejected-requests.js';
import { said } from '../../decisions/field-sentences.js';
import { may } from '../../decisions/permissions.js';
import { AppError } from '../../platform/errors.js';
import { isId } from '../../platform/ids.js';
import type { RejectedRequests as RejectedList, RejectedRequest } from '../contract/keys.js';
import { iso, limitParameter, notFound, PAGE, pageOf, queryOf, shortText } from '../request-parts.js';
import { ConsoleAppsService } from './console-apps.service.js';

const cursor = { parse: (value: string) => (isId('rej', value) ? value : undefined), rule: said('cursor') };
const PAGING = { cursor, limit: limitParameter };
/** Of keys that do not exist. */
const NOBODY = '';

/** What was refused at the door, to find out why. Of keys that do not exist only who manages keys is told: it may be anything. */
@Injectable()
export class RejectedRequestsService {
  constructor(
    private readonly rejected: RejectedRequests,
    private readonly keys: AccessKeysService,
    private readonly apps: ConsoleAppsService,
  ) {}

  async list(request: ConsoleRequest): Promise<RejectedList> {
    const { key, app, ...page } = queryOf(request, { key: shortText(48), app: shortText(31), ...PAGING });
    if ((key === undefined) === (app === undefined))
      throw AppError.fields([{ pointer: '/query/key', code: 'required', ...said('key_or_app') }]);
    return this.page(key === undefined ? await this.keysOf(app as string) : [key], page);
  }

  async unknown(request: ConsoleRequest): Promise<RejectedList> {
    return this.page([NOBODY], queryOf(request, PAGING));
  }

  async get(request: ConsoleRequest, id: string): Promise<RejectedRequest> {
    const found = isId('rej', id) ? await this.rejected.find(id) : null;
    if (!found) throw notFound('rejected request');
    if (found.owner === NOBODY && !may(request.caller.rights, 'keys.manage', null)) throw permissionDenied('keys.manage', null);
    return view(found);
  }

  private async keysOf(app: string): Promise<string[]> {
    const { id } = await this.apps.found(app);
    return (await this.keys.list(id)).map(({ accessKey }) => accessKey);
  }

  private async page(owners: readonly string[], stated: { cursor?: string; limit?: number }): Promise<RejectedList> {
    const { cursor: before, limit = PAGE } = stated;
    const { page, nextCursor } = pageOf(await this.rejected.list(owners, before, limit + 1), limit, ({ id }) => id);
    return { items: page.map(view), nextCursor };
  }
}

function view({ owner, claimed, at, ...shown }: Rejected): RejectedRequest {
  return { ...shown, accessKey: claimed, known: owner !== NOBODY, at: iso(at) };
}
