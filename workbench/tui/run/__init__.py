"""The Run screen: the transcript of one run, its meters and calls, and the bar where a person is asked."""
