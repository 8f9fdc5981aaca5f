import type { StaffSession } from '../admin-wire.ts';
import type { CallOptions } from '../call.ts';
import type { Message } from '../wire.ts';
import type { AdminCalls } from './calls.ts';

/** The methods of signing in and out. */
export function createSessionMethods({ getQuietly, post, signIn }: AdminCalls) {
  return {
    /** Sends a sign-in code by e-mail. The answer is the same for every address. */
    requestStaffCode: (email: string, callOptions?: CallOptions) =>
      signIn<Message>('/auth/otp/request', { email }, callOptions),

    /** Signs in with the code. The browser keeps the session in a cookie that pages cannot read. */
    verifyStaffCode: (email: string, otp: string, callOptions?: CallOptions) =>
      signIn<StaffSession>('/auth/otp/verify', { email, otp }, callOptions),

    /** Signs in with the token of the link in the e-mail. */
    verifyStaffLink: (token: string, callOptions?: CallOptions) =>
      signIn<StaffSession>('/auth/link/verify', { token }, callOptions),

    /** Returns who is signed in and at which commerces. Rejects with status 401 if nobody is. */
    getStaffSession: (callOptions?: CallOptions) => getQuietly<StaffSession>('/session', callOptions),

    /** Ends this session or, with `everywhere`, all sessions of the person. */
    logOutStaff: (where: { everywhere?: boolean } = {}, callOptions?: CallOptions) =>
      signIn<Message>('/auth/logout', where, callOptions),

    /** Sends a code to the person who is signed in, for acts that ask for a fresh one. */
    requestStepUpCode: (callOptions?: CallOptions) => post<Message>('/auth/step-up/request', {}, callOptions),

    /** Proves with that code that it is still the same person. The session gets a new cookie. */
    verifyStepUpCode: (otp: string, callOptions?: CallOptions) =>
      post<StaffSession>('/auth/step-up/verify', { otp }, callOptions),
  };
}
