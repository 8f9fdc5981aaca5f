import type { StaffSession } from '../admin-wire.ts';
import { fields, optional, text, yesOrNo } from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { Message } from '../wire.ts';
import type { AdminCalls } from './calls.ts';

/** The methods of signing in and out. */
export function createSessionMethods({ getQuietly, post, signIn }: AdminCalls) {
  return {
    /** Sends a sign-in code by e-mail. The answer is the same for every address. */
    requestStaffCode: async (email: string, callOptions?: CallOptions) =>
      signIn<Message>('/auth/otp/request', fields({ email }, { email: text }), callOptions),

    /** Signs in with the code. The browser keeps the session in a cookie that pages cannot read. */
    verifyStaffCode: async (email: string, otp: string, callOptions?: CallOptions) =>
      signIn<StaffSession>(
        '/auth/otp/verify',
        fields({ email, otp }, { email: text, otp: text }),
        callOptions,
      ),

    /** Signs in with the token of the link in the e-mail. */
    verifyStaffLink: async (token: string, callOptions?: CallOptions) =>
      signIn<StaffSession>('/auth/link/verify', fields({ token }, { token: text }), callOptions),

    /** Returns who is signed in and at which commerces. Rejects with status 401 if nobody is. */
    getStaffSession: (callOptions?: CallOptions) => getQuietly<StaffSession>('/session', callOptions),

    /** Ends this session or, with `everywhere`, all sessions of the person. */
    logOutStaff: async (where: { everywhere?: boolean } = {}, callOptions?: CallOptions) =>
      signIn<Message>('/auth/logout', fields(where, { everywhere: optional(yesOrNo) }), callOptions),

    /** Sends a code to the person who is signed in, for acts that ask for a fresh one. */
    requestStepUpCode: (callOptions?: CallOptions) => post<Message>('/auth/step-up/request', {}, callOptions),

    /** Proves with that code that it is still the same person. The session gets a new cookie. */
    verifyStepUpCode: async (otp: string, callOptions?: CallOptions) =>
      post<StaffSession>('/auth/step-up/verify', fields({ otp }, { otp: text }), callOptions),
  };
}
